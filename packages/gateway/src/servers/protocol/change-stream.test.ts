import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ChangeStream, type Listening } from './change-stream.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A client whose streams the test ends. */
function listening() {
  const filters: object[] = []
  const ends: ((cause: 'remote' | 'local') => void)[] = []
  let refusals = 0
  const client = {
    listen: async (filter: object) => {
      filters.push(filter)
      if (refusals-- > 0) throw new Error('not now')
      const { promise: closed, resolve } = Promise.withResolvers<'remote' | 'local'>()
      ends.push(resolve)
      return { honoredFilter: filter, closed, close: async () => resolve('local') }
    },
  } as unknown as Listening
  return { client, filters, end: (n: number) => ends[n]?.('remote'), refuse: (times: number) => (refusals = times) }
}

describe('ChangeStream', () => {
  it('listens for the lists that the server reports, and for watched resources', async () => {
    const { client, filters } = listening()
    const stream = new ChangeStream(client, ['tools'], () => {})
    await stream.open()
    await stream.watch('x://1')
    await stream.watch('x://1')
    await stream.unwatch('x://1')
    expect(filters).toEqual([
      { toolsListChanged: true },
      { toolsListChanged: true, resourceSubscriptions: ['x://1'] },
      { toolsListChanged: true },
    ])
  })

  it('opens no stream if there is nothing to listen for', async () => {
    const { client, filters } = listening()
    await new ChangeStream(client, [], () => {}).open()
    expect(filters).toEqual([])
  })

  it('is reopened when the server ends it, and then reports everything as changed', async () => {
    const { client, filters, end, refuse } = listening()
    const onGap = vi.fn<() => void>()
    await new ChangeStream(client, ['tools', 'prompts'], onGap).open()
    refuse(2)
    end(0)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(filters).toHaveLength(4)
    expect(onGap).toHaveBeenCalled()
  })

  it('stays closed once it is closed', async () => {
    const { client, filters, end } = listening()
    const stream = new ChangeStream(client, ['tools'], () => expect.unreachable())
    await stream.open()
    end(0)
    stream.close()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(filters).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})
