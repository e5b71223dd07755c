/** Faults during the call of a tool. */
import type { MinimalClient } from '../../bench/minimal-client.ts'
import { Bystander } from './bystander.ts'
import { evilServer } from './evil-server.ts'
import { type Fault, failure, promise, timed, within } from './fault.ts'
import { Home, Program } from './program.ts'
import { until } from './until.ts'

const SERVERS = {
  good: evilServer(),
  evil: evilServer(),
  impatient: evilServer({}, { limits: { callTimeoutMs: 500 } }),
  small: evilServer({}, { limits: { maxReplyBytes: 4 * 1024 * 1024 } }),
}
type ServerName = keyof typeof SERVERS

/** A gateway with a good server and a bad one, a client, and a bystander that uses the good one meanwhile. */
async function withTrouble(bad: ServerName, make: (client: MinimalClient, program: Program) => Promise<string>) {
  using home = new Home()
  home.configure({ servers: { good: SERVERS.good, [bad]: SERVERS[bad] } })
  await using program = await Program.start(home)
  const client = await program.clientFor(`${bad}__echo`)
  await using bystander = await new Bystander(await program.clientFor('good__echo'), 'good__echo').begin()
  const seen = await make(client, program)
  return `${seen}; ${await bystander.end()}`
}

const textOf = ({ content }: { readonly [key: string]: unknown }): string =>
  (content as readonly { readonly text: string }[])[0]?.text ?? ''

export const CALL_FAULTS: readonly Fault[] = [
  {
    name: 'crash-mid-call',
    isQuick: true,
    run: () =>
      withTrouble('evil', async (client) => {
        const { error, ms } = await failure(() => client.call('evil__crash'))
        promise(error.message.includes('evil'), `the error does not name the server: ${error.message}`)
        const next = await timed(() => client.call('evil__echo', { value: 'back' }))
        promise(textOf(next.value) === 'back', 'the next call was answered with something else')
        return `${within(ms, 500, 'error')}, ${within(next.ms, 1_000, 'next call')}`
      }),
  },
  {
    name: 'hang',
    isQuick: false,
    run: () =>
      withTrouble('impatient', async (client) => {
        const { error, ms } = await failure(() => client.call('impatient__hang'))
        promise(error.message.includes('impatient'), `the error does not name the server: ${error.message}`)
        promise(ms >= 490, `it ended after ${ms.toFixed(0)} ms, before its time limit of 500`)
        const { cancelled } = JSON.parse(textOf(await client.call('impatient__seen')))
        promise(cancelled === 1, 'the server got no cancellation')
        return `${within(ms, 1_000, 'time limit of 500 ms ended the call after')}; the server got the cancellation`
      }),
  },
  {
    name: 'client-cancels',
    isQuick: false,
    run: () =>
      withTrouble('evil', async (client) => {
        const id = 4_711
        const ended = failure(() => client.call('evil__hang', {}, { id, signal: AbortSignal.timeout(5_000) }))
        await seenBy(client, 'hanging')
        const { ms } = await timed(async () => {
          await client.notify('notifications/cancelled', { requestId: id })
          await seenBy(client, 'cancelled')
        })
        client.close()
        await ended
        return within(ms, 500, 'the cancel reached the server in')
      }),
  },
  {
    name: 'client-goes-away',
    isQuick: false,
    run: () =>
      withTrouble('evil', async (client, program) => {
        const leaving = new AbortController()
        const gone = failure(() => modernHang(program.url, leaving.signal))
        await seenBy(client, 'hanging')
        const { ms } = await timed(async () => {
          leaving.abort()
          await seenBy(client, 'cancelled')
        })
        await gone
        return within(ms, 500, 'closing the stream (2026-07-28) cancelled the call in')
      }),
  },
  {
    name: 'huge-reply-passes',
    isQuick: false,
    run: () =>
      withTrouble('evil', async (client) => {
        let bytes = 0
        const onData = (part: Buffer): void => {
          bytes += part.length
        }
        const { ms } = await timed(() => client.call('evil__huge', { mb: 12 }, { onData }))
        promise(bytes > 12 * 1024 * 1024, `only ${bytes} bytes of 12 MB came through`)
        return `12 MB came through in ${ms.toFixed(0)} ms`
      }),
  },
  {
    name: 'huge-reply-refused',
    isQuick: true,
    run: () =>
      withTrouble('small', async (client) => {
        const before = textOf(await client.call('small__pid'))
        const { error } = await failure(() => client.call('small__huge', { mb: 12 }))
        promise(/larger than the limit|too large/i.test(error.message), `the error is: ${error.message}`)
        const after = textOf(await client.call('small__pid'))
        promise(before === after, 'the server did not survive')
        return 'a reply of 12 MB over a limit of 4 failed its call only; the server lives'
      }),
  },
  {
    name: 'malformed-reply',
    isQuick: true,
    run: () =>
      withTrouble('evil', async (client) => {
        const before = textOf(await client.call('evil__pid'))
        const { error, ms } = await failure(() => client.call('evil__malformed'))
        promise(error.message.includes('evil'), `the error does not name the server: ${error.message}`)
        promise(before === textOf(await client.call('evil__pid')), 'the server did not survive')
        return within(ms, 500, 'the call failed in')
      }),
  },
  {
    name: 'noise-on-stdout',
    isQuick: false,
    run: () =>
      withTrouble('evil', async (client) => {
        const said = textOf(await client.call('evil__noise'))
        promise(said === 'after the noise', `the answer was ${said}`)
        return 'banners, logs and blank lines between replies do not matter'
      }),
  },
]

/** Waits until the server has seen one of these. */
async function seenBy(client: MinimalClient, what: 'hanging' | 'cancelled'): Promise<void> {
  await until(async () => JSON.parse(textOf(await client.call('evil__seen')))[what] === 1 || undefined, 2_000)
}

/** A call of 2026-07-28, where closing the connection cancels. */
async function modernHang(url: string, signal: AbortSignal): Promise<void> {
  const meta = (key: string): string => `io.modelcontextprotocol/${key}`
  const _meta = { [meta('protocolVersion')]: '2026-07-28', [meta('clientCapabilities')]: {} }
  const answer = await fetch(`${url}/open/mcp`, {
    method: 'POST',
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'evil__hang',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'evil__hang', arguments: {}, _meta },
    }),
  })
  await answer.text()
}
