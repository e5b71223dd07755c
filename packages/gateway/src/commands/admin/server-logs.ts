import { EXIT } from '../exit-codes.ts'
import { clean } from '../terminal.ts'
import { type Admin, answer } from './admin.ts'
import { eventsOf } from './event-stream.ts'

/** `tooldex server logs`: what the server wrote to its standard error. */
export async function showLogs(
  admin: Admin,
  id: string,
  { lines, follow }: { readonly lines?: number; readonly follow?: boolean },
): Promise<number> {
  const input = { params: { server: id }, query: lines === undefined ? {} : { lines } }
  if (follow !== true) {
    const { items } = await admin.client.ask('serverLogs', input)
    return answer(admin, { lines: items }, items.length === 0 ? ['  nothing yet'] : items.map(rendered))
  }
  const { terminal, signals } = admin.context
  const leaving = new AbortController()
  void signals.stop().then(() => leaving.abort())
  const response = await admin.client.open('serverLogs', input, {
    accept: 'text/event-stream',
    signal: leaving.signal,
  })
  for await (const event of eventsOf(response)) {
    const line = event as Line
    terminal.out(admin.options.json === true ? `${JSON.stringify(line)}\n` : `${rendered(line)}\n`)
  }
  return EXIT.ok
}

interface Line {
  readonly at: number
  readonly line: string
}

const rendered = ({ at, line }: Line): string => `${new Date(at).toISOString().slice(11, 23)}  ${clean(line)}`
