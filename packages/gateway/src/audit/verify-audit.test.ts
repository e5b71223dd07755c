import fc from 'fast-check'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AuditEntry, ChainMark } from '../model/audit.ts'
import { CHAIN_START, linkAfter } from './audit-chain.ts'
import { JsonlAuditLog } from './jsonl-audit-log.ts'
import { verifyAudit } from './verify-audit.ts'

const common = { requestId: 'r', tokenId: 't', projectId: 'p', endpointId: 'e', durationMs: 1, outcome: 'ok' }
const call = (at: number): AuditEntry => ({
  ...{ kind: 'call', ...common, at, serverId: 's', toolKey: 's:t', requestBytes: 1, resultBytes: 1 },
})
const kinds: readonly AuditEntry[] = [
  call(5),
  { kind: 'search', ...common, at: 4, queryCount: 1, queries: ['é "x"'], resultKeys: ['s:t'], answeredBy: 'bm25' },
  { kind: 'refusal', ...common, at: 3, address: '::1', count: 3, lastAt: 9 },
  {
    ...{ kind: 'change', ...common, at: 2, action: 'changeServer', target: 's' },
    changes: [{ of: 'server', id: 's', how: 'changed', fields: ['env.KEY'] }],
  },
]

/** The lines of an export. */
function exportOf(entries: readonly AuditEntry[], filter: object = {}): string[] {
  let last: ChainMark = CHAIN_START
  const lines = entries.map((entry) => {
    const chain = linkAfter(last, entry)
    last = chain
    return JSON.stringify({ ...entry, chain })
  })
  const chain = { start: CHAIN_START, head: { seq: last.seq, hash: last.hash } }
  const begin = JSON.stringify({ kind: 'export', version: 1, at: 0, filter, chain })
  return [begin, ...lines, JSON.stringify({ kind: 'end', entries: lines.length, chain: { start: CHAIN_START } })]
}

const check = (text: string) =>
  verifyAudit(
    (async function* () {
      // Pieces of any size, as a stream has them.
      for (let at = 0; at < text.length; at += 37) yield text.slice(at, at + 37)
    })(),
  )
const checkLines = (lines: readonly string[]) => check(`${lines.join('\n')}\n`)
const problems = async (lines: readonly string[]) => (await checkLines(lines)).findings.map(({ problem }) => problem)

describe('verifyAudit', () => {
  it('[R42] finds a whole export whole, although its clock goes back', async () => {
    const verified = { entries: 4, checked: 4, unchecked: 0, outside: 0, isSelection: false, findings: [] }
    expect(await checkLines(exportOf(kinds))).toEqual(verified)
    expect(await checkLines(exportOf([]))).toMatchObject({ entries: 0, findings: [] })
  })

  it('[R42] says that an export was cut, wherever it was cut', async () => {
    const whole = `${exportOf(kinds).join('\n')}\n`
    const first = whole.indexOf('\n') + 1
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: first, max: whole.length - 2 }), async (length) => {
        const { findings } = await check(whole.slice(0, length))
        expect(findings.map(({ problem }) => problem)).toEqual(['cut'])
      }),
    )
  })

  it('[R42] finds any changed field of any entry', async () => {
    const lines = exportOf(kinds)
    for (const [at, entry] of kinds.entries()) {
      for (const field of Object.keys(entry).filter((each) => each !== 'kind')) {
        const changed = lines.with(at + 1, JSON.stringify({ ...JSON.parse(lines[at + 1] ?? ''), [field]: ['other'] }))
        if (field === 'changes') expect(await problems(changed)).toContain('unreadable')
        else expect(await problems(changed)).toEqual([field === 'queries' ? 'queries-changed' : 'changed'])
      }
    }
  })

  it('[R42] names removed, repeated and reordered entries', async () => {
    const [begin = '', a = '', b = '', c = '', d = '', end = ''] = exportOf(kinds)
    expect((await checkLines([begin, a, d, end])).findings).toMatchObject([
      { problem: 'missing', from: 2, to: 3, after: { chain: { seq: 1 } } },
    ])
    expect(await problems([begin, a, b, c, end])).toEqual(['missing'])
    expect((await checkLines([begin, a, c, b, d, end])).findings).toMatchObject([
      { problem: 'moved', entry: { chain: { seq: 2 } } },
    ])
    expect(await problems([begin, a, b, b, c, d, end])).toEqual(['repeated'])
    expect(await problems([begin, a, b, 'x', c, d, end])).toEqual(['unreadable'])
  })

  it('excuses entries that retention removed during the export', async () => {
    const lines = exportOf(kinds)
    const start = (JSON.parse(lines[2] ?? '') as { chain: ChainMark }).chain
    const end = JSON.stringify({ kind: 'end', entries: 2, chain: { start } })
    expect(await problems([lines[0] ?? '', lines[3] ?? '', lines[4] ?? '', end])).toEqual([])
  })

  it('checks a selection as far as it goes, and says that it is one', async () => {
    const [begin = '', a = '', b = '', , d = ''] = exportOf(kinds, { kind: 'call' })
    const end = JSON.stringify({ kind: 'end', entries: 3, chain: { start: CHAIN_START } })
    expect(await checkLines([begin, a, b, d, end])).toEqual({
      ...{ entries: 3, checked: 2, unchecked: 1, outside: 0, isSelection: true, findings: [] },
    })
    expect(await problems([begin, a, d, end])).toEqual(['miscounted'])
    const document = `{"entries":[${a},${b}]}`
    expect(await check(document)).toMatchObject({ entries: 2, checked: 2, isSelection: true, findings: [] })
    expect((await check(document.slice(0, -9))).findings).toMatchObject([{ problem: 'cut' }])
  })

  it('[R42] checks a log file, in which each process has a chain of its own', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tooldex-audit-'))
    const path = join(folder, 'audit.jsonl')
    for (let run = 0; run < 2; run++) {
      const log = new JsonlAuditLog({ path })
      for (const entry of kinds) log.record(entry)
      await log.stop()
    }
    const text = readFileSync(path, 'utf8')
    rmSync(folder, { recursive: true })
    expect(text).not.toContain('é')
    expect(await check(text)).toMatchObject({ entries: 8, checked: 8, findings: [] })
    const lines = text.trim().split('\n')
    expect(await problems(lines.toSpliced(5, 1))).toEqual(['missing'])
    expect(await problems(lines.with(5, lines[5]?.replace('"t"', '"u"') ?? ''))).toEqual(['changed'])
  })

  it('survives anything', async () => {
    const anyLine = fc.oneof(fc.json(), fc.string(), fc.constantFrom(...exportOf(kinds)))
    await fc.assert(
      fc.asyncProperty(fc.array(anyLine, { maxLength: 12 }), async (lines) => {
        expect((await checkLines(lines)).findings.length).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})
