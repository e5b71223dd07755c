import { type LearnedUses, useWeight } from '@tooldex/search'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { AuditedCall, AuditedSearch, FollowUp } from '../../audit/search-follow-ups.ts'
import { GatewayError } from '../../errors.ts'
import type { StoredUse, UseRepository, UseRevision } from '../../model/learned-use.ts'
import { KEPT_MS, ProjectUses, type ProjectUsesOptions } from './project-uses.ts'

const NOW = 1_000_000_000_000
const common = { requestId: 'r', endpointId: 'e', durationMs: 1, outcome: 'ok', at: NOW }

interface Followed {
  readonly query?: string | readonly string[]
  readonly toolKey?: string
  readonly tokenId?: string
  readonly projectId?: string
  readonly answeredBy?: string
  readonly at?: number
  readonly unusedAbove?: number
}

function followUp(given: Followed = {}): FollowUp {
  const { query = 'open a ticket', toolKey = 'tracker:create', tokenId = 'alice', projectId = 'p' } = given
  const { answeredBy = 'hybrid', at = NOW, unusedAbove = 3 } = given
  const queries = typeof query === 'string' ? [query] : query
  const who = { ...common, tokenId, projectId }
  const search: AuditedSearch = {
    ...{ kind: 'search', ...who, queryCount: queries.length, queries, resultKeys: [toolKey], answeredBy },
  }
  const call: AuditedCall = { kind: 'call', ...who, at, serverId: 's', toolKey, requestBytes: 1, resultBytes: 1 }
  return { search, call, rank: unusedAbove, unusedAbove }
}

/** A repository in memory, as several gateways share it. It keeps the latest of equal uses. */
class SharedUses implements UseRepository {
  rows: { use: StoredUse; revision: number }[] = []
  state: UseRevision = { latest: 0, forgotten: 0 }
  failure: Error | undefined
  prunedBefore: number | undefined
  reads = 0

  async add(uses: readonly StoredUse[]): Promise<void> {
    this.#check()
    await this.put(uses)
  }
  async put(uses: readonly StoredUse[]): Promise<void> {
    const latest = this.state.latest + 1
    this.state = { ...this.state, latest }
    const isOther = ({ use }: { use: StoredUse }) => !uses.some((each) => keyOf(each) === keyOf(use))
    this.rows = [...this.rows.filter(isOther), ...uses.map((use) => ({ use, revision: latest }))]
  }
  async forget(projectId: string): Promise<number> {
    this.#check()
    const before = this.rows.length
    this.rows = this.rows.filter(({ use }) => use.projectId !== projectId)
    this.state = { latest: this.state.latest + 1, forgotten: this.state.latest + 1 }
    return before - this.rows.length
  }
  async revision(): Promise<UseRevision> {
    this.#check()
    return this.state
  }
  async changedAfter(revision: number, projectIds: readonly string[]): Promise<readonly StoredUse[]> {
    this.#check()
    this.reads++
    return this.rows
      .filter((row) => row.revision > revision && projectIds.includes(row.use.projectId))
      .map(({ use }) => use)
  }
  all(projectId: string): Promise<readonly StoredUse[]> {
    return this.changedAfter(0, [projectId])
  }
  async prune(before: number): Promise<void> {
    this.prunedBefore = before
  }
  #check(): void {
    if (this.failure !== undefined) throw this.failure
  }
}

const keyOf = ({ projectId, query, toolKey, tokenId }: StoredUse) => [projectId, query, toolKey, tokenId].join('\n')

describe('ProjectUses', () => {
  const opened: ProjectUses[] = []
  afterEach(() => Promise.all(opened.splice(0).map((each) => each.stop())))
  const open = (options: Partial<ProjectUsesOptions> = {}): ProjectUses => {
    const uses = new ProjectUses({ now: () => NOW, embedNow: async () => undefined, exchangeMs: 1e9, ...options })
    opened.push(uses)
    return uses
  }
  const learnt = async (uses: ProjectUses, projectId = 'p') => ((await uses.of(projectId)) as LearnedUses).uses()

  it('[U13] learns from calls that follow searches, within their project', async () => {
    const uses = open({ repository: new SharedUses() })
    await uses.of('p')
    uses.learn(followUp())
    expect(await learnt(uses)).toMatchObject([{ query: 'open a ticket', toolId: 'tracker:create', by: 'alice' }])
    expect(await learnt(uses, 'q')).toEqual([])
  })

  it('learns more from a result that stood further down, and shares among several queries', async () => {
    const uses = open()
    uses.learn(followUp({ query: 'first', unusedAbove: 0 }))
    uses.learn(followUp({ query: 'fourth', unusedAbove: 3 }))
    uses.learn(followUp({ query: ['fifth', 'again', ' Fifth '], unusedAbove: 3 }))
    const weights = new Map((await learnt(uses)).map(({ query, weight }) => [query, weight]))
    expect(weights.get('first')).toBeLessThan(0.1)
    expect(weights.get('fourth')).toBeGreaterThan(0.7)
    expect(weights.get('fifth')).toBe((weights.get('fourth') ?? 0) / 2)
    expect(weights.get('again')).toBe(weights.get('fifth'))
  })

  it('learns as much from the callers who confirm what was learnt, by the place without learning', async () => {
    const uses = open()
    uses.noteOrder('r', ['tracker:close', 'tracker:list', 'tracker:create'])
    uses.learn(followUp({ unusedAbove: 0 }))
    uses.learn(followUp({ unusedAbove: 0, query: 'not found by itself', toolKey: 'tracker:other' }))
    for (let nth = 0; nth < 1_001; nth++) uses.noteOrder(`other ${nth}`, [])
    uses.learn(followUp({ unusedAbove: 0, query: 'long ago' }))
    const weights = (await learnt(uses)).map(({ weight }) => weight)
    expect(weights).toEqual([useWeight(2), 1, useWeight(0)])
  })

  it.each<[string, Followed | 'without texts']>([
    ['a pattern', { answeredBy: 'regex' }],
    ['a list', { answeredBy: 'list-order' }],
    ['blank queries', { query: [' ', ''] }],
    ['a query in the query language', { query: 'name:ticket AND open' }],
    ['texts that are not kept', 'without texts'],
  ])('learns nothing from %s', async (_, given) => {
    const uses = open()
    const { search, ...rest } = followUp(given === 'without texts' ? {} : given)
    const { queries, ...bare } = search
    uses.learn({ ...rest, search: given === 'without texts' ? bare : search })
    expect([queries?.length, await learnt(uses)]).toEqual([expect.any(Number), []])
  })

  it('keeps 500 characters of a query of 100 kB, and takes a call of the future as one of now', async () => {
    const uses = open()
    uses.learn(followUp({ query: 'x'.repeat(100_000), at: NOW + 1e9 }))
    const [only] = await learnt(uses)
    expect([only?.query.length, only?.at]).toEqual([500, NOW])
  })

  it('shares what was learnt with other gateways and with the next run', async () => {
    const repository = new SharedUses()
    const [one, other] = [open({ repository }), open({ repository })]
    expect(await learnt(other)).toEqual([])
    one.learn(followUp())
    await one.exchange()
    expect(await learnt(other)).toEqual([])
    await other.exchange()
    expect(await learnt(other)).toHaveLength(1)
    expect(await learnt(open({ repository }))).toEqual(await learnt(other))
    repository.reads = 0
    await other.exchange()
    expect(repository.reads).toBe(0)
  })

  it('forgets everywhere, also what was not written yet', async () => {
    const repository = new SharedUses()
    const [one, other] = [open({ repository }), open({ repository })]
    one.learn(followUp())
    await one.exchange()
    expect(await learnt(other)).toHaveLength(1)
    one.learn(followUp({ query: 'close a ticket' }))
    expect(await one.forget('p')).toBe(2)
    expect(await learnt(one)).toEqual([])
    await other.exchange()
    expect(await learnt(other)).toEqual([])
  })

  it('does not take over what was forgotten while it was read', async () => {
    const repository = new SharedUses()
    await repository.put([{ projectId: 'p', query: 'x', toolKey: 't:x', tokenId: 'alice', weight: 1, at: NOW }])
    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>()
    const uses = open({ repository })
    const read = repository.all.bind(repository)
    repository.all = async (projectId) => {
      const rows = await read(projectId)
      await mayAnswer
      return rows
    }
    const loading = learnt(uses)
    await uses.forget('p')
    answer()
    expect(await loading).toEqual([])
  })

  it('counts a use once, however exchanges and searches interleave', async () => {
    const step = fc.constantFrom('learn', 'exchange', 'search', 'forget')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const repository = new SharedUses()
        const uses = open({ repository })
        let expected = 0
        for (const each of steps) {
          if (each === 'learn') uses.learn(followUp({ query: `query ${expected++}` }))
          if (each === 'exchange') await uses.exchange()
          if (each === 'search') await uses.of('p')
          if (each === 'forget') await uses.forget('p')
          if (each === 'forget') expected = 0
        }
        await uses.exchange()
        await uses.exchange()
        expect(new Set((await learnt(uses)).map(({ query }) => query)).size).toBe(expected)
        expect(repository.rows).toHaveLength(expected)
      }),
    )
  })

  it('goes on while the database fails, reports it once, and writes afterwards', async () => {
    const repository = new SharedUses()
    const problems: unknown[] = []
    const uses = open({ repository, onProblem: (error) => problems.push(error) })
    repository.failure = new GatewayError('STORE_UNAVAILABLE', { reason: 'down' })
    expect(await uses.of('p')).toBeUndefined()
    uses.learn(followUp())
    await uses.exchange()
    await uses.exchange()
    expect(problems).toHaveLength(1)
    await expect(uses.forget('p')).rejects.toThrow('down')
    repository.failure = undefined
    await uses.exchange()
    expect(repository.rows).toHaveLength(1)
    expect(await learnt(uses)).toHaveLength(1)
  })

  it('lets searches wait for a database that does not answer once, and briefly', async () => {
    const repository = new SharedUses()
    await repository.put([{ projectId: 'p', query: 'q', toolKey: 's:t', tokenId: 'a', weight: 1, at: NOW }])
    const answer = Promise.withResolvers<readonly StoredUse[]>()
    repository.all = () => answer.promise
    const uses = open({ repository, waitMs: 10 })
    expect(await uses.of('p')).toBeUndefined()
    expect(await uses.of('p')).toBeUndefined()
    answer.resolve(repository.rows.map(({ use }) => use))
    await expect.poll(() => uses.of('p')).toMatchObject({ size: 1 })
  })

  it('drops uses that the database refuses for ever', async () => {
    const repository = new SharedUses()
    const uses = open({ repository })
    repository.failure = new Error('no such column')
    uses.learn(followUp())
    await uses.exchange()
    repository.failure = undefined
    await uses.exchange()
    expect(repository.rows).toEqual([])
  })

  it('is bounded in memory, and unloads the project that was searched longest ago', async () => {
    const repository = new SharedUses()
    const uses = open({ repository, mostLoaded: 25 })
    for (const projectId of ['a', 'b', 'c']) {
      for (let nth = 0; nth < 10; nth++) uses.learn(followUp({ projectId, query: `query ${nth}` }))
    }
    await uses.exchange()
    for (const projectId of ['a', 'b', 'a', 'c']) await uses.of(projectId)
    repository.reads = 0
    await uses.of('a')
    await uses.of('c')
    expect(repository.reads).toBe(0)
    await uses.of('b')
    expect(repository.reads).toBe(1)
    for (let nth = 0; nth < 3_000; nth++) uses.learn(followUp({ query: `flood ${nth}` }))
    repository.rows = []
    await uses.exchange()
    expect(repository.rows).toHaveLength(2_000)
  })

  it('[U13] removes what was not repeated, once a day', async () => {
    const repository = new SharedUses()
    const uses = open({ repository })
    await uses.exchange()
    expect(repository.prunedBefore).toBe(NOW - KEPT_MS)
    repository.prunedBefore = undefined
    await uses.exchange()
    expect(repository.prunedBefore).toBeUndefined()
  })
})
