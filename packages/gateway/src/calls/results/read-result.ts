import { GatewayError } from '../../errors.ts'
import type { ResultReading } from '../../model/result-reading.ts'
import { RawJson } from '../../servers/protocol/raw-json.ts'
import type { RawResult } from '../../servers/server.ts'
import { membersOf } from './content-blocks.ts'
import type { KeptResult, TextRange } from './kept-result.ts'
import type { ResultOwner, ResultStore } from './result-store.ts'

/** Who reads, and which tools it may use now. */
export interface Reader {
  readonly owner: ResultOwner
  readonly mayUse: (toolKey: string) => boolean
}

const MOST_MATCHES = 20
const AROUND_MATCH = 150
const count = (number: number): string => number.toLocaleString('en')

/** Reads on in a kept result. @throws GatewayError RESULT_NOT_FOUND, INVALID_ARGUMENTS */
export async function readResult(store: ResultStore, ask: ResultReading, reader: Reader): Promise<RawResult> {
  return whileKept(store, ask.id, reader, async (kept) => {
    if (ask.block !== undefined) return { content: await blockContent(kept, ask.block) }
    if (ask.find !== undefined) return found(kept, ask.find)
    if (ask.line !== undefined) return fromLine(kept, ask.line, ask.lines)
    return page(kept, ask.page ?? 1)
  })
}

/** A block of a kept result as the contents of a resource. @throws GatewayError RESULT_NOT_FOUND, INVALID_ARGUMENTS */
export async function readBlock(
  store: ResultStore,
  { id, block, uri }: { readonly id: string; readonly block: number; readonly uri: string },
  reader: Reader,
): Promise<RawResult> {
  return whileKept(store, id, reader, async (kept) => {
    const read = await membersOf(await rawBlock(kept, block))
    const inner = await membersOf(read['resource'])
    const { mimeType, data, blob = data } = { ...read, ...inner }
    const about = JSON.stringify({ uri, ...(typeof mimeType === 'string' && { mimeType }) })
    if (blob === undefined) return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(read) }] }
    const bytes = blob instanceof RawJson ? blob.pieces : [Buffer.from(JSON.stringify(blob))]
    const contents = [Buffer.from(`[${about.slice(0, -1)},"blob":`), ...bytes, Buffer.from('}]')]
    return { contents: new RawJson(contents) }
  })
}

/** The result may expire, or make room for another one, while it is read. */
async function whileKept<Value>(
  store: ResultStore,
  id: string,
  { owner, mayUse }: Reader,
  read: (kept: KeptResult) => Promise<Value>,
): Promise<Value> {
  const kept = (): KeptResult | undefined => {
    const result = store.get(id, owner)
    return result !== undefined && mayUse(result.toolKey) ? result : undefined
  }
  const result = kept()
  if (result === undefined) throw resultNotFound()
  try {
    return await read(result)
  } finally {
    // oxlint-disable-next-line no-unsafe-finally -- what was read of a closed result, or the failure to, says nothing
    if (kept() !== result) throw resultNotFound()
  }
}

/** The same for a result of another caller, an expired one, and one that never was. */
function resultNotFound(): GatewayError {
  return new GatewayError('RESULT_NOT_FOUND', {
    reason: 'results are kept for some minutes, for the caller that got them',
    remedy: 'Call the tool again',
  })
}

async function page(kept: KeptResult, number: number): Promise<RawResult> {
  if (number > kept.pages) throw outOfRange('page', number, kept.pages)
  const range = await kept.page(number)
  const next = number < kept.pages ? ` The next one: {"id":"${kept.id}","page":${number + 1}}.` : ''
  return textResult(kept, range, `Page ${count(number)} of ${count(kept.pages)}${await linesOf(kept, range)}.${next}`)
}

async function fromLine(kept: KeptResult, line: number, lines?: number): Promise<RawResult> {
  if (line > kept.lines) throw outOfRange('line', line, kept.lines)
  const range = await kept.fromLine(line, lines)
  const last = range.end === range.start ? line : await kept.lineAt(range.end - 1)
  const next = range.end < kept.size ? ` To go on: {"id":"${kept.id}","line":${last + 1}}.` : ''
  return textResult(kept, range, `Lines ${count(line)} to ${count(last)} of ${count(kept.lines)}.${next}`)
}

async function found(kept: KeptResult, text: string): Promise<RawResult> {
  const { found: matches, total, isCounted } = await kept.find(text, { most: MOST_MATCHES, around: AROUND_MATCH })
  if (matches.length === 0) return { content: [{ type: 'text', text: '[The text does not occur in this result.]' }] }
  const where = (line: number, offset: number): string =>
    kept.lines > 1 ? `line ${line}` : `page ${kept.pageOf(offset)}`
  const lines = matches.map(({ line, offset, excerpt }) => `${where(line, offset)}: ${excerpt}`)
  const all = isCounted ? count(total) : `more than ${count(total - 1)}`
  const part = total > matches.length ? `the first ${matches.length} of ${all} matches` : `${all} matches`
  const way = kept.lines > 1 ? '"line":n' : '"page":n'
  const note = `[These are ${part}. To read there: {"id":"${kept.id}",${way}}.]`
  return {
    content: [
      { type: 'text', text: lines.join('\n') },
      { type: 'text', text: note },
    ],
  }
}

async function textResult(kept: KeptResult, range: TextRange, note: string): Promise<RawResult> {
  return {
    content: [
      { type: 'text', text: await kept.text(range) },
      { type: 'text', text: `[${note}]` },
    ],
  }
}

/** A line that a cut divides belongs to both pages. */
async function linesOf(kept: KeptResult, { start, end }: TextRange): Promise<string> {
  if (kept.lines <= 1 || end === start) return ''
  return `, lines ${count(await kept.lineAt(start))} to ${count(await kept.lineAt(end - 1))}`
}

async function rawBlock(kept: KeptResult, number: number): Promise<RawJson> {
  const block = kept.blocks.find((each) => each.number === number)
  if (block === undefined) {
    const numbers = kept.blocks.map((each) => each.number).join(', ')
    const reason =
      kept.blocks.length === 0 ? 'this result has no blocks that were left out' : `the blocks are ${numbers}`
    throw new GatewayError('INVALID_ARGUMENTS', { reason, remedy: 'Read its text by page, line or find' })
  }
  return new RawJson([await kept.block(block)])
}

async function blockContent(kept: KeptResult, number: number): Promise<RawJson> {
  const block = await rawBlock(kept, number)
  return new RawJson([Buffer.from('['), ...block.pieces, Buffer.from(']')])
}

function outOfRange(what: 'page' | 'line', number: number, most: number): GatewayError {
  return new GatewayError('INVALID_ARGUMENTS', {
    reason: `there is no ${what} ${number}: this result has ${count(most)} ${what}s`,
    remedy: `Ask for a ${what} from 1 to ${most}`,
  })
}
