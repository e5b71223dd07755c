import pc from 'picocolors'

const HEAD = new Set(['level', 'time', 'msg', 'err'])
// oxlint-disable-next-line no-control-regex -- control characters are what it removes
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** A log line for people: time, level, sentence, fields; a stack below. */
export function prettyLine(line: string, colours: boolean): string {
  const paint = pc.createColors(colours)
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>
  const tints: Readonly<Record<string, (text: string) => string>> = {
    debug: paint.dim,
    info: paint.green,
    warn: paint.yellow,
    error: paint.red,
  }
  const tint = tints[String(level)] ?? String
  const shown = Object.entries(fields).filter(([key]) => !HEAD.has(key))
  const facts = shown.map(([key, value]) => `${key}=${plain(value)}`).join(' ')
  const head = `${paint.dim(String(time).slice(11, 23))} ${tint(String(level).padEnd(5))} ${clean(textOf(msg))}`
  return `${facts === '' ? head : `${head}  ${paint.dim(facts)}`}\n${stackOf(err)}`
}

function plain(value: unknown): string {
  const text = typeof value === 'string' && !/[\s"=]/.test(value) ? value : JSON.stringify(value)
  return clean(text ?? String(value))
}

function stackOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  const { stack, message } = error as { stack?: unknown; message?: unknown }
  return `${clean(textOf(stack ?? message)).replace(/^/gm, '    ')}\n`
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** What servers write may hold sequences that would move the cursor or change colours. */
const clean = (text: string): string => text.replace(CONTROL, '')
