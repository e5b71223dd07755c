import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callOf } from '../../store/audit/audit-samples.case.ts'
import { type AdminKit, adminKit } from '../admin-kit.case.ts'

let kit: AdminKit
beforeEach(async () => {
  kit = await adminKit()
})
afterEach(() => kit.stop())

const DAY = 86_400_000
const call = (toolKey: string, more: object = {}) =>
  callOf({ at: kit.clock.now - 1_000, toolKey, serverId: toolKey.split(':')[0] ?? '', ...more })

describe('the use of tools', () => {
  it('counts calls, errors, durations and the last call, by tool and by server', async () => {
    await kit.store.audit.append([
      ...Array.from({ length: 90 }, () => call('notes:find', { durationMs: 20 })),
      ...Array.from({ length: 10 }, () => call('notes:find', { durationMs: 400, outcome: 'tool-error' })),
      call('notes:drop', { at: kit.clock.now - 500, outcome: 'SERVER_TIMEOUT', durationMs: 60_000 }),
      call('mail:send', { projectId: 'other' }),
      call('no such tool', { serverId: '' }),
      call('mail:old', { at: kit.clock.now - 31 * DAY }),
    ])
    const { tools, servers, from } = await kit.ask('getUsage')
    expect(from).toBe(kit.clock.now - 30 * DAY)
    expect(tools.map(({ tool, calls, errors }) => [tool, calls, errors])).toEqual([
      ['notes:find', 100, 10],
      ['mail:send', 1, 0],
      ['notes:drop', 1, 1],
    ])
    expect(tools[0]?.p50Ms).toBeGreaterThan(20 * 0.95)
    expect(tools[0]?.p50Ms).toBeLessThan(20 * 1.05)
    expect(tools[0]?.p95Ms).toBeGreaterThan(400 * 0.95)
    expect(tools[0]?.p95Ms).toBeLessThan(400 * 1.05)
    expect(tools[2]).toEqual({ tool: 'notes:drop', server: 'notes', calls: 1, errors: 1, lastAt: kit.clock.now - 500 })
    expect(servers).toMatchObject([
      { server: 'notes', calls: 101, errors: 11, lastAt: kit.clock.now - 500 },
      { server: 'mail', calls: 1 },
    ])
  })

  it('is limited to a project, a server, a tool and a number of days', async () => {
    await kit.store.audit.append([
      call('a:x', { projectId: 'one' }),
      call('b:y', { projectId: 'two' }),
      call('b:z', { at: kit.clock.now - 3 * DAY }),
    ])
    const keys = async (query: object) => (await kit.ask('getUsage', { query })).tools.map(({ tool }) => tool)
    expect(await keys({ project: 'one' })).toEqual(['a:x'])
    expect(await keys({ server: 'b' })).toEqual(['b:y', 'b:z'])
    expect(await keys({ tool: 'b:z' })).toEqual(['b:z'])
    expect(await keys({ days: '2' })).toEqual(['a:x', 'b:y'])
    expect(await kit.problem('getUsage', { query: { days: '0' } })).toMatchObject({ code: 'REQUEST_INVALID' })
  })
})
