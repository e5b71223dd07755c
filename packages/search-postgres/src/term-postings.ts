/** Where a word occurs: number by number, side by side. */
export interface TermPostings {
  /** How many tools have it. */
  readonly count: number
  readonly tools: Float64Array
  readonly frequencies: Int32Array
  readonly lengths: Int32Array
  readonly nameCounts: Int32Array
  /** 0 for a tool that belongs to none. */
  readonly servers: Int32Array
  /** How often servers say it of themselves. */
  readonly said: ReadonlyMap<number, number>
}

/** A posting as `PACKED` packs it. */
const BYTES = 24
const HIGH_WORD = 2 ** 32

/** All postings of a term in one value: a row for each would take the driver longer than finding them. */
export const PACKED = `string_agg(int8send(tool) || int4send(frequency) || int4send(length) || int4send(name_count)
  || int4send(coalesce(server, 0)), ''::bytea)`

/** The postings that were packed. */
export function unpack(packed: Buffer, said: ReadonlyMap<number, number>): TermPostings {
  const count = packed.length / BYTES
  const tools = new Float64Array(count)
  const [frequencies, lengths] = [new Int32Array(count), new Int32Array(count)]
  const [nameCounts, servers] = [new Int32Array(count), new Int32Array(count)]
  for (let nth = 0; nth < count; nth++) {
    const at = nth * BYTES
    tools[nth] = packed.readInt32BE(at) * HIGH_WORD + packed.readUInt32BE(at + 4)
    frequencies[nth] = packed.readInt32BE(at + 8)
    lengths[nth] = packed.readInt32BE(at + 12)
    nameCounts[nth] = packed.readInt32BE(at + 16)
    servers[nth] = packed.readInt32BE(at + 20)
  }
  return { count, tools, frequencies, lengths, nameCounts, servers, said }
}

/** Of these tools only. */
export function among(postings: TermPostings, scope: ReadonlySet<number>): TermPostings {
  const kept = Uint32Array.from(postings.tools.keys()).filter((nth) => scope.has(postings.tools[nth] ?? 0))
  const pick = (from: Int32Array): Int32Array => Int32Array.from(kept, (nth) => from[nth] ?? 0)
  return {
    count: kept.length,
    tools: Float64Array.from(kept, (nth) => postings.tools[nth] ?? 0),
    frequencies: pick(postings.frequencies),
    lengths: pick(postings.lengths),
    nameCounts: pick(postings.nameCounts),
    servers: pick(postings.servers),
    said: postings.said,
  }
}
