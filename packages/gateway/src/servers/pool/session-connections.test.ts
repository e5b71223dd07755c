import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { GatewayError } from '../../errors.ts'
import type { McpConnection } from '../protocol/mcp-connection.ts'
import type { ClientLink } from '../server.ts'
import { needsOwnConnection, SessionConnections } from './session-connections.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const client = (sessionId: string): ClientLink => ({ sessionId, capabilities: { roots: {} }, answer: async () => ({}) })

function sessions() {
  const log: string[] = []
  const lost = new Map<string, () => void>()
  const all = new SessionConnections(
    async ({ sessionId }, _, onLost) => {
      log.push(`open ${sessionId}`)
      lost.set(sessionId, onLost)
      return { close: async () => void log.push(`close ${sessionId}`) } as unknown as McpConnection
    },
    60_000,
    Date.now,
  )
  const use = (sessionId: string, pin = false) => all.use(client(sessionId), pin, async () => 'used')
  return { all, use, log, lost }
}

describe('SessionConnections', () => {
  it('opens one connection for a session however many use it', async () => {
    const { use, log } = sessions()
    await Promise.all([use('a'), use('a'), use('b')])
    expect(log).toEqual(['open a', 'open b'])
  })

  it('closes idle connections, except those with a subscription', async () => {
    const { use, log } = sessions()
    await use('a')
    await use('b', true)
    await vi.advanceTimersByTimeAsync(100_000)
    expect(log).toEqual(['open a', 'open b', 'close a'])
  })

  it('reopens a lost or closed one, and leaves no timer behind', async () => {
    const { all, use, log, lost } = sessions()
    await use('a')
    lost.get('a')?.()
    await use('a')
    await all.close('a')
    await all.close('a')
    expect(log).toEqual(['open a', 'open a', 'close a'])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('SessionConnections for calls without a session', () => {
  const owner: ClientLink = { sessionId: 'a', capabilities: { sampling: {} } }

  it('has a connection for each call that is open, and the next call takes it over', async () => {
    const { all, log } = sessions()
    const first = Promise.withResolvers<string>()
    const open = [all.useAlone(owner, () => first.promise), all.useAlone(owner, async () => 'second')]
    expect(await open[1]).toBe('second')
    await all.useAlone(owner, async () => 'third')
    first.resolve('first')
    expect(await open[0]).toBe('first')
    await all.useAlone(owner, async () => 'fourth')
    expect(log).toEqual(['open a 0', 'open a 1'])
  })

  it.each(['CALL_CANCELLED', 'SERVER_TIMEOUT'] as const)('closes one whose call ended with %s', async (code) => {
    const { all, log } = sessions()
    const ended = all.useAlone(owner, () => Promise.reject(new GatewayError(code)))
    await expect(ended).rejects.toMatchObject({ code })
    await all.useAlone(owner, async () => 'next')
    expect(log).toEqual(['open a 0', 'close a 0', 'open a 0'])
  })

  it('keeps one whose server refused the call', async () => {
    const { all, log } = sessions()
    await expect(all.useAlone(owner, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    await all.useAlone(owner, async () => 'next')
    expect(log).toEqual(['open a 0'])
  })
})

describe('needsOwnConnection', () => {
  it('is true for clients that declare something to be asked for and can be asked', () => {
    expect(needsOwnConnection(client('a'))).toBe(true)
    expect(needsOwnConnection({ sessionId: 'a', capabilities: { roots: {} } })).toBe(false)
    expect(needsOwnConnection({ ...client('a'), capabilities: {} })).toBe(false)
    expect(needsOwnConnection(undefined)).toBe(false)
  })
})
