import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { GatewayError } from '../../errors.ts'
import type { AuditVerification } from '../../audit/verify-audit.ts'
import { verifyAudit } from '../../audit/verify-audit.ts'
import type { AuditEntry, AuditRepository, ChainEnds } from '../../model/audit.ts'
import { type StoreUnderTest, TIME_LIMIT_MS } from '../store-contract.case.ts'
import { callOf, searchOf } from './audit-samples.case.ts'

const calls = (count: number, over: object = {}): AuditEntry[] =>
  Array.from({ length: count }, (_, at) => callOf({ at, requestId: `r${at + 1}`, ...over }))

/** Everything that `tooldex audit verify` reads of a repository. */
async function verified(audit: AuditRepository): Promise<AuditVerification> {
  async function* lines(): AsyncGenerator<string> {
    const chain: ChainEnds = await audit.chainEnds()
    yield `${JSON.stringify({ kind: 'export', version: 1, at: 0, filter: {}, chain })}\n`
    let entries = 0
    for await (const entry of audit.stream({})) {
      entries += 1
      yield `${JSON.stringify(entry)}\n`
    }
    yield `${JSON.stringify({ kind: 'end', entries, chain: { start: chain.start } })}\n`
  }
  return verifyAudit(lines())
}

/** Appends as the writer does: a database that others keep busy is asked again. */
async function appended(audit: AuditRepository, entries: readonly AuditEntry[], batchId: string): Promise<void> {
  for (;;) {
    try {
      return await audit.append(entries, batchId)
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'STORE_UNAVAILABLE') throw error
    }
  }
}

/** The contract of the chain in every database. */
export function describeAuditChain(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`${name} chains audit entries`, { timeout: TIME_LIMIT_MS }, () => {
    let place: StoreUnderTest
    let audit: AuditRepository
    beforeEach(async () => {
      place = await make()
      audit = (await place.open()).audit
    }, TIME_LIMIT_MS)
    afterEach(() => place.end(), TIME_LIMIT_MS)
    const findings = async () => (await verified(audit)).findings

    it('[R42] in the order of recording, over batches of several gateways at once, whatever the clock says', async () => {
      const others = await Promise.all([1, 2, 3].map(async () => (await place.open()).audit))
      const batches = [audit, ...others].flatMap((each, writer) =>
        [5, 1, 20].map((count, at) =>
          appended(each, calls(count, { at: 1_000 - at * 100, durationMs: 1 / 3 }), `${writer} ${at}`),
        ),
      )
      await Promise.all(batches)
      await audit.append([callOf({ at: 5 }), searchOf({ at: 1, queries: ['x\ud800'] } as object)])
      expect(await verified(audit)).toEqual({
        ...{ entries: 106, checked: 106, unchecked: 0, outside: 0, isSelection: false, findings: [] },
      })
      expect((await audit.chainEnds()).head.seq).toBe(106)
    })

    it('[R42] so that a removed entry is missed: in the middle, at the start and at the end', async () => {
      await audit.append(calls(9))
      await place.run(`delete from audit_entries where request_id in ('r1', 'r4', 'r5', 'r9')`)
      expect(await findings()).toMatchObject([
        { problem: 'missing', from: 1, to: 1 },
        { problem: 'missing', from: 4, to: 5, after: { requestId: 'r3' } },
        { problem: 'missing', from: 9, to: 9, after: { requestId: 'r8' } },
      ])
    })

    it.each([
      ['token_id', `'other'`],
      ['outcome', `'SERVER_BUSY'`],
      ['at', '77'],
      ['duration_ms', '8'],
      ['tool_key', `'s:harmless'`],
      ['details', `'{"requestBytes":1,"resultBytes":20}'`],
      ['seq', '40'],
    ])('[R42] so that a change of %s is found and named', async (column, value) => {
      await audit.append(calls(5))
      await place.run(`update audit_entries set ${column} = ${value} where request_id = 'r3'`)
      const found = await findings()
      if (column === 'seq') expect(found.map(({ problem }) => problem)).toContain('missing')
      else expect(found).toMatchObject([{ problem: 'changed', entry: { requestId: 'r3', chain: { seq: 3 } } }])
    })

    it.each(['', 'null', '[]', '{', '{"requestBytes":"many"}'])(
      '[R42] so that details that are "%s" are found, and the entry is listed as damaged beside the others',
      async (details) => {
        await audit.append(calls(3))
        await place.run(`update audit_entries set details = '${details}' where request_id = 'r2'`)
        const { entries } = await audit.page({}, { limit: 9 })
        expect(entries.map(({ requestId, isDamaged }) => [requestId, isDamaged])).toEqual([
          ['r3', undefined],
          ['r2', true],
          ['r1', undefined],
        ])
        expect(entries[1]).toMatchObject({ kind: 'call', requestBytes: 0, resultBytes: 0 })
        expect(await findings()).toMatchObject([{ problem: 'changed', entry: { requestId: 'r2' } }])
      },
    )

    it('[R42] so that a moved and an added entry are found', async () => {
      await audit.append(calls(5))
      await place.run(`update audit_entries set id = id + 100 where request_id = 'r2'`)
      expect(await findings()).toMatchObject([{ problem: 'moved', entry: { requestId: 'r2' } }])
      await place.run(`update audit_entries set id = id - 100 where request_id = 'r2'`)
      expect(await findings()).toEqual([])
      await place.run(`insert into audit_entries (at, kind, request_id, token_id, project_id, endpoint_id, server_id, tool_key,
        outcome, duration_ms, details) select at, kind, 'added', token_id, project_id, endpoint_id, server_id, tool_key,
        outcome, duration_ms, details from audit_entries where request_id = 'r5'`)
      expect(await findings()).toMatchObject([{ problem: 'unchained', entry: { requestId: 'added' } }])
    })

    it('[R42] from a new start after old entries were removed', async () => {
      await audit.append(calls(1_300))
      await audit.prune({ before: 700 })
      expect((await audit.chainEnds()).start.seq).toBe(700)
      expect(await verified(audit)).toMatchObject({ entries: 600, checked: 600, findings: [] })
      await place.run(`delete from audit_entries where request_id = 'r701'`)
      expect(await findings()).toMatchObject([{ problem: 'missing', from: 701, to: 701 }])
      await audit.prune({ maxEntries: 0 })
      await audit.append(calls(2))
      expect(await verified(audit)).toMatchObject({ entries: 2, checked: 2, findings: [] })
    })

    it('[R42] with a digest of query texts, which are removed earlier and found if they are changed', async () => {
      const old = searchOf({ at: 1, requestId: 'old', queries: ['delete the repository'] } as object)
      const young = searchOf({ at: 9, requestId: 'young', queries: ['send mail'] } as object)
      await audit.append([old, young])
      expect((await audit.page({}, { limit: 9 })).entries).toMatchObject([{ queries: ['send mail'] }, old])
      await audit.prune({ queriesBefore: 5 })
      const { entries } = await audit.page({}, { limit: 9 })
      expect(entries.map((entry) => 'queries' in entry)).toEqual([true, false])
      expect(await place.dump()).not.toContain('repository')
      expect(await verified(audit)).toMatchObject({ checked: 2, findings: [] })
      await place.run(`update audit_entries set queries = replace(queries, 'mail', 'mails')`)
      expect(await findings()).toMatchObject([{ problem: 'queries-changed', entry: { requestId: 'young' } }])
    })

    it('[R42] and says how many entries of an earlier release are outside', async () => {
      await place.run(`insert into audit_entries (at, kind, request_id, token_id, project_id, endpoint_id, server_id, tool_key,
        outcome, duration_ms, details) values (1, 'call', 'old', 't', 'p', 'e', '', '', 'TOOL_NOT_FOUND', 1,
        '{"requestBytes":1,"resultBytes":1}')`)
      await audit.append(calls(3))
      expect(await verified(audit)).toMatchObject({ entries: 4, checked: 3, outside: 1, findings: [] })
    })
  })
}
