import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type AuditEntry,
  type AuditFilter,
  type AuditRepository,
  type StoredAuditEntry,
  USAGE_LEAST_MS,
  USAGE_STEPS,
} from '../../model/audit.ts'
import { type StoreUnderTest, TIME_LIMIT_MS } from '../store-contract.case.ts'
import { callOf, searchOf } from './audit-samples.case.ts'

const few = (...texts: string[]) => fc.constantFrom(...texts)
const anyEntry: fc.Arbitrary<AuditEntry> = fc
  .record({
    kind: few('call', 'search'),
    at: fc.integer({ min: 0, max: 20 }),
    tokenId: few('t', 'u'),
    projectId: few('p', 'q', '\ud800'),
    toolKey: few('s:a', 's:b', 'x'.repeat(5_000)),
    outcome: few('ok', 'tool-error', 'SERVER_BUSY'),
  })
  .map(({ kind, toolKey, ...common }) =>
    kind === 'call' ? callOf({ ...(common as object), toolKey }) : searchOf(common as object),
  )
const anyFilter: fc.Arbitrary<AuditFilter> = fc
  .record({
    kind: fc.option(few('call', 'search'), { nil: undefined }),
    tokenId: fc.option(few('t', 'u', 'missing'), { nil: undefined }),
    projectId: fc.option(few('p', 'q', '\ud800'), { nil: undefined }),
    serverId: fc.option(few('s', 'missing'), { nil: undefined }),
    toolKey: fc.option(few('s:a', 'x'.repeat(5_000)), { nil: undefined }),
    outcome: fc.option(few('ok', 'error', 'tool-error'), { nil: undefined }),
    from: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
    until: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
  })
  .map((filter) => Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as AuditFilter)

/** A simple reference implementation of the filter. */
function fits(entry: AuditEntry, { from = 0, until = Infinity, outcome, ...equal }: AuditFilter): boolean {
  const isWanted = outcome === undefined || (outcome === 'error' ? entry.outcome !== 'ok' : entry.outcome === outcome)
  const fields = entry as unknown as Record<string, unknown>
  return (
    isWanted &&
    entry.at >= from &&
    entry.at < until &&
    Object.entries(equal).every(([key, value]) => fields[key] === value)
  )
}

const withoutId = ({ id: _id, chain: _chain, ...entry }: StoredAuditEntry): AuditEntry => entry as AuditEntry

async function collected<Entry>(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const found: Entry[] = []
  for await (const entry of entries) found.push(entry)
  return found
}

async function everyPage(audit: AuditRepository, filter: AuditFilter, limit: number): Promise<StoredAuditEntry[]> {
  const found: StoredAuditEntry[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await audit.page(filter, { limit, ...(cursor === undefined ? {} : { cursor }) })
    expect(page.entries.length).toBeLessThanOrEqual(limit)
    found.push(...page.entries)
    cursor = page.nextCursor
    if (cursor === undefined) return found
  }
}

/** The contract of every repository of audit entries. */
export function describeAudit(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the AuditRepository contract`, { timeout: TIME_LIMIT_MS }, () => {
    let place: StoreUnderTest
    let audit: AuditRepository
    beforeEach(async () => {
      place = await make()
      audit = (await place.open()).audit
    }, TIME_LIMIT_MS)
    afterEach(() => place.end(), TIME_LIMIT_MS)

    it('[R42] returns appended entries, newest first', async () => {
      const entries = [
        callOf({ at: 1 }),
        searchOf({ at: 2, degraded: 'cloud' } as object),
        callOf({ at: 2, toolKey: 'x'.repeat(9_000) }),
      ]
      await audit.append(entries)
      const { entries: kept, nextCursor } = await audit.page({}, { limit: 10 })
      expect(kept.map(withoutId)).toEqual(entries.toReversed())
      expect(nextCursor).toBeUndefined()
      expect(new Set(kept.map(({ id }) => id)).size).toBe(3)
    })

    it('applies filters to pages, streams and sums alike', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyEntry, { maxLength: 40 }),
          anyFilter,
          fc.integer({ min: 1, max: 7 }),
          async (entries, filter, limit) => {
            await audit.prune({ maxEntries: 0 })
            await audit.append(entries)
            const expected = entries.filter((entry) => fits(entry, filter)).toSorted((one, other) => one.at - other.at)
            expect((await everyPage(audit, filter, limit)).map(withoutId)).toEqual(expected.toReversed())
            const streamed = Object.keys(filter).length === 0 ? entries : expected
            expect((await collected(audit.stream(filter))).map(withoutId)).toEqual(streamed)
            const sums = await audit.sums(filter, 5)
            expect(sums.map(({ from }) => from)).toEqual([...new Set(expected.map(({ at }) => at - (at % 5)))])
            const total = (of: 'searches' | 'calls' | 'errors') => sums.reduce((sum, step) => sum + step[of], 0)
            expect([total('searches'), total('calls')]).toEqual(
              ['search', 'call'].map((kind) => expected.filter((entry) => entry.kind === kind).length),
            )
            expect(total('errors')).toBe(expected.filter(({ outcome }) => outcome !== 'ok').length)
          },
        ),
        { numRuns: 40 },
      )
    })

    it('sums the use of every tool, with durations in steps', async () => {
      const durationMs = fc.double({ min: 0, max: 90_000, noNaN: true })
      const calls = fc.array(
        fc
          .tuple(anyEntry, durationMs, few('', 's'))
          .map(([entry, ms, serverId]) => ({ ...entry, durationMs: ms, serverId })),
        { maxLength: 40 },
      )
      await fc.assert(
        fc.asyncProperty(calls, few('p', 'q'), async (entries, projectId) => {
          await audit.prune({ maxEntries: 0 })
          await audit.append(entries as AuditEntry[])
          const used = await audit.usage({ projectId, from: 3, until: 18 })
          const expected = (entries as StoredAuditEntry[]).filter(
            (entry) =>
              fits(entry, { kind: 'call', projectId, from: 3, until: 18 }) &&
              'serverId' in entry &&
              entry.serverId !== '',
          )
          expect(used.reduce((sum, tool) => sum + tool.calls, 0)).toBe(expected.length)
          for (const { toolKey, calls: count, errors, lastAt, durations } of used) {
            const own = expected.filter(
              (entry) => 'toolKey' in entry && toolKey.startsWith(entry.toolKey.slice(0, 256)),
            )
            expect([count, errors, lastAt]).toEqual([
              own.length,
              own.filter(({ outcome }) => outcome !== 'ok').length,
              Math.max(...own.map(({ at }) => at)),
            ])
            const answered = own.filter(({ outcome }) => outcome !== 'SERVER_BUSY').map((entry) => entry.durationMs)
            const steps = answered.map((ms) => Math.floor(Math.log(Math.max(ms, USAGE_LEAST_MS)) * USAGE_STEPS))
            expect(
              [...durations].flatMap(([step, times]) => Array.from({ length: times }, () => step)).toSorted(),
            ).toEqual(steps.toSorted())
          }
        }),
        { numRuns: 40 },
      )
    })

    it('accepts a cursor with its own filter only', async () => {
      await audit.append(Array.from({ length: 5 }, (_, at) => callOf({ at })))
      await fc.assert(
        fc.asyncProperty(anyFilter, fc.string(), async (other, text) => {
          const { nextCursor = '' } = await audit.page({ kind: 'call' }, { limit: 2 })
          const isSame = JSON.stringify(other) === JSON.stringify({ kind: 'call' })
          const refused = expect.objectContaining({ code: 'REQUEST_INVALID' })
          if (!isSame) await expect(audit.page(other, { limit: 2, cursor: nextCursor })).rejects.toEqual(refused)
          for (const cursor of [text, `${nextCursor}x`, nextCursor.slice(1), `${text}.${nextCursor}`]) {
            await expect(audit.page({ kind: 'call' }, { limit: 2, cursor })).rejects.toEqual(refused)
          }
        }),
        { numRuns: 30 },
      )
      const { nextCursor = '' } = await audit.page({}, { limit: 2 })
      const again = await (await place.open()).audit.page({}, { limit: 2, cursor: nextCursor })
      expect(again.entries.map(({ at }) => at)).toEqual([2, 1])
    })

    it('continues after a cursor without entries that were added since', async () => {
      await audit.append([1, 2, 3].map((at) => callOf({ at })))
      const { nextCursor = '' } = await audit.page({}, { limit: 1 })
      await audit.append([callOf({ at: 9 })])
      const { entries } = await audit.page({}, { limit: 5, cursor: nextCursor })
      expect(entries.map(({ at }) => at)).toEqual([2, 1])
    })

    it('scans more entries than fit into one query', async () => {
      const many = (from: number, entry: object) =>
        Array.from({ length: 600 }, (_, at) => callOf({ at: from + at, ...entry }))
      for (let round = 0; round < 10; round++) {
        await audit.append(many(round * 1_200, { tokenId: 'a', projectId: 'b' }))
        await audit.append(many(round * 1_200 + 600, { tokenId: 'b', projectId: 'a' }))
      }
      await audit.append([callOf({ at: 0, tokenId: 'a', projectId: 'a' })])
      const filter = { tokenId: 'a', projectId: 'a' }
      expect(await everyPage(audit, filter, 3)).toHaveLength(1)
      expect(await collected(audit.stream(filter))).toHaveLength(1)
      expect(await audit.sums(filter, 1_000)).toEqual([{ from: 0, searches: 0, calls: 1, errors: 0 }])
    })

    it('appends atomically, and each batch once', async () => {
      await audit.append([callOf(), callOf()], 'batch')
      await audit.append([callOf(), callOf()], 'batch')
      await audit.append([], 'empty')
      await expect(audit.append([callOf(), callOf({ outcome: null as unknown as string })])).rejects.toThrow(
        /TypeError|reading|null/i,
      )
      expect((await audit.page({}, { limit: 9 })).entries).toHaveLength(2)
    })

    it('removes old entries, and the oldest beyond a limit', async () => {
      await audit.append(Array.from({ length: 1_200 }, (_, at) => callOf({ at })))
      expect(await audit.prune({ before: 600 })).toEqual({ removed: 600 })
      expect(await audit.prune({ maxEntries: 10 })).toEqual({ removed: 590 })
      expect(await audit.prune({ before: 5, maxEntries: 10 })).toEqual({ removed: 0 })
      const { entries } = await audit.page({}, { limit: 100 })
      expect(entries.map(({ at }) => at)).toEqual(Array.from({ length: 10 }, (_, at) => 1_199 - at))
    })

    it('removes no entry that follows one that is kept, and is not kept from it by a time in the future', async () => {
      const future = Date.now() + 86_400_000
      await audit.append([1, 2, 50, 3, 60].map((at) => callOf({ at })))
      expect(await audit.prune({ before: 10 })).toEqual({ removed: 2 })
      await audit.append([callOf({ at: future }), callOf({ at: 70 })])
      expect(await audit.prune({ before: 65 })).toEqual({ removed: 4 })
      expect((await collected(audit.stream({}))).map(({ at }) => at)).toEqual([70])
    })

    it('refuses an invalid step', async () => {
      for (const step of [0, -1, 1.5, Number.NaN]) {
        await expect(audit.sums({}, step)).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
      }
    })
  })
}
