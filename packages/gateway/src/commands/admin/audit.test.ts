import { describe, expect, it } from 'vitest'
import type { Admin } from './admin.ts'
import { showAudit } from './audit.ts'

/** A gateway that answers with these pages, one after the other. */
function adminGiving(...pages: object[]) {
  const asked: object[] = []
  let out = ''
  const admin = {
    client: {
      ask: async (id: string, ask?: { readonly query: object }) => {
        if (id === 'listTokens') return { items: [] }
        asked.push(ask?.query ?? {})
        return pages[asked.length - 1]
      },
    },
    context: { now: () => 5, terminal: { out: (text: string) => void (out += text) } },
    options: { json: true },
  } as unknown as Admin
  return { admin, asked, entries: () => (JSON.parse(out) as { entries: { requestId: string }[] }).entries }
}

const call = (requestId: string) => ({
  ...{ kind: 'call', at: 1, requestId, tokenId: 't', projectId: 'p', endpointId: 'e', durationMs: 1 },
  ...{ outcome: 'ok', serverId: 's', toolKey: 's:t', requestBytes: 1, resultBytes: 1 },
})

describe('showAudit', () => {
  it('reads on after short pages, and shows the newest entry last', async () => {
    const { admin, asked, entries } = adminGiving(
      { items: [], nextCursor: 'one' },
      { items: [call('c')], nextCursor: 'two' },
      { items: [call('b'), call('a')], nextCursor: 'three' },
    )
    await showAudit(admin, { kind: 'call', max: 3 })
    expect(entries().map(({ requestId }) => requestId)).toEqual(['a', 'b', 'c'])
    expect(asked).toEqual([
      { kind: 'call', limit: 3 },
      { kind: 'call', limit: 3, cursor: 'one' },
      { kind: 'call', limit: 2, cursor: 'two' },
    ])
  })

  it('stops at the last page', async () => {
    const { admin, entries } = adminGiving({ items: [], nextCursor: 'one' }, { items: [call('a')] })
    await showAudit(admin, { max: 3 })
    expect(entries()).toHaveLength(1)
  })

  it('prints new entries as they arrive with follow, until the command is stopped', async () => {
    let out = ''
    let stop = (): void => {}
    const admin = {
      client: {
        isLive: true,
        ask: async () => ({ items: [{ id: 't', name: 'laptop' }] }),
        open: async (_: string, __: object, { signal }: { readonly signal: AbortSignal }) =>
          new Response(
            new ReadableStream({
              start(stream) {
                const [first, second] = [call('a'), call('b')].map((entry) => `data: ${JSON.stringify(entry)}\n\n`)
                for (const part of [first?.slice(0, 20), first?.slice(20), second]) {
                  stream.enqueue(new TextEncoder().encode(part))
                }
                signal.addEventListener('abort', () => stream.error(signal.reason))
              },
            }),
          ),
      },
      context: {
        now: () => 5,
        signals: { stop: () => new Promise<void>((resolve) => void (stop = resolve)) },
        terminal: {
          out: (text: string) => {
            out += text
            if (out.split('\n').length > 2) stop()
          },
        },
      },
      options: {},
    } as unknown as Admin
    expect(await showAudit(admin, { follow: true })).toBe(0)
    expect(out).toMatch(/^ {2}\S+ \S+ {2}laptop {2}– {2}p {2}ok {2}1\.0 {2}call s:t\n {2}.*call s:t\n$/)
  })
})
