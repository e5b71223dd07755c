import { isRecord } from '@tooldex/http-kit/json'

/** A call that was made in this browser. */
export interface PastCall {
  readonly tool: string
  readonly project: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly at: number
  readonly outcome: 'ok' | 'failed' | 'cancelled'
  readonly ms: number
}

const KEPT = 'tooldex.calls'
const MOST_OF_TOOL = 10
const MOST = 100
/** Larger arguments are not kept. */
const MOST_CHARACTERS = 20_000
const SECRET = /pass(word|phrase)?|secret|token|api[-_]?key|credential|authorization|private[-_]?key|cookie/i

/** The calls of a tool, latest first. */
export function pastCalls(tool: string, storage: Pick<Storage, 'getItem'> = localStorage): readonly PastCall[] {
  return all(storage).filter((call) => call.tool === tool)
}

/** Keeps a call, without values whose names look like secrets. */
export function keepCall(call: PastCall, storage: Pick<Storage, 'getItem' | 'setItem'> = localStorage): void {
  const kept = { ...call, arguments: withoutSecrets(call.arguments) as Record<string, unknown> }
  if (JSON.stringify(kept.arguments).length > MOST_CHARACTERS) return
  const same = JSON.stringify([kept.project, kept.arguments])
  const own = pastCalls(call.tool, storage)
    .filter((other) => JSON.stringify([other.project, other.arguments]) !== same)
    .slice(0, MOST_OF_TOOL - 1)
  const others = all(storage).filter(({ tool }) => tool !== call.tool)
  try {
    storage.setItem(KEPT, JSON.stringify([kept, ...own, ...others].slice(0, MOST)))
  } catch {
    // The storage of the browser is full or forbidden; the history is a convenience.
  }
}

/** Forgets the calls of a tool. */
export function forgetCalls(tool: string, storage: Pick<Storage, 'getItem' | 'setItem'> = localStorage): void {
  storage.setItem(KEPT, JSON.stringify(all(storage).filter((call) => call.tool !== tool)))
}

function all(storage: Pick<Storage, 'getItem'>): readonly PastCall[] {
  try {
    const read = JSON.parse(storage.getItem(KEPT) ?? '[]') as unknown
    return Array.isArray(read)
      ? (read.filter((each) => isRecord(each) && isRecord(each['arguments'])) as unknown as PastCall[])
      : []
  } catch {
    return []
  }
}

/** The value without fields whose names look like secrets. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (SECRET.test(name) ? [] : [[name, withoutSecrets(part)]])),
  )
}
