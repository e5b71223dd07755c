import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AuditEntry } from '../model/audit.ts'
import { JsonlAuditLog } from './jsonl-audit-log.ts'
import { MemoryAuditLog } from './memory-audit-log.case.ts'

const entry = (requestId: string): AuditEntry => ({
  ...{ kind: 'search', at: 1, requestId, tokenId: 't', projectId: 'p', endpointId: 'e', durationMs: 1, outcome: 'ok' },
  ...{ queryCount: 1, resultKeys: ['s:\u001b[2J\n'], answeredBy: 'bm25' },
})

describe('MemoryAuditLog', () => {
  it('keeps the newest, oldest first', () => {
    const log = new MemoryAuditLog(3)
    for (const id of ['1', '2']) log.record(entry(id))
    expect(log.entries().map(({ requestId }) => requestId)).toEqual(['1', '2'])
    for (const id of ['3', '4', '5']) log.record(entry(id))
    expect(log.entries().map(({ requestId }) => requestId)).toEqual(['3', '4', '5'])
  })
})

describe('JsonlAuditLog', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tooldex-audit-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  const path = () => join(folder, 'data', 'audit.jsonl')
  const read = (file = path()): Record<string, unknown>[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  const ids = (file?: string) => read(file).map(({ requestId }) => requestId)

  it('[R42] appends a line for each entry, for the owner alone, and adds to what is there', async () => {
    const log = new JsonlAuditLog({ path: path() })
    log.record(entry('1'))
    log.record(entry('2'))
    await log.stop()
    const next = new JsonlAuditLog({ path: path() })
    next.record(entry('3'))
    await next.stop()
    expect(read()[0]).toMatchObject(entry('1'))
    expect(ids()).toEqual(['1', '2', '3'])
    expect(statSync(path()).mode & 0o777).toBe(0o600)
    expect(readFileSync(path(), 'utf8')).not.toContain('\u001b')
  })

  it('writes by itself, without being asked', async () => {
    const log = new JsonlAuditLog({ path: path(), flushMs: 1 })
    log.record(entry('1'))
    await expect.poll(() => ids()).toEqual(['1'])
    await log.stop()
  })

  it('renames full files and keeps a few', async () => {
    const size =
      JSON.stringify({ ...entry('1'), chain: { writer: '12345678', seq: 1, hash: 'x'.repeat(43) } }).length + 1
    const log = new JsonlAuditLog({ path: path(), maxBytes: size * 2, keep: 2 })
    for (const id of ['1', '2', '3', '4', '5', '6', '7']) {
      log.record(entry(id))
      await log.flush()
    }
    expect(readdirSync(join(folder, 'data')).toSorted()).toEqual(['audit.1.jsonl', 'audit.2.jsonl', 'audit.jsonl'])
    expect(ids()).toEqual(['7'])
    expect(ids(join(folder, 'data', 'audit.1.jsonl'))).toEqual(['5', '6'])
    expect(ids(join(folder, 'data', 'audit.2.jsonl'))).toEqual(['3', '4'])
  })

  it('keeps entries while the disk does not take them, within bounds, and records the gap', async () => {
    writeFileSync(join(folder, 'data'), 'in the way')
    const problems: unknown[] = []
    const log = new JsonlAuditLog({
      path: path(),
      maxQueue: 2,
      now: () => 9,
      onProblem: (error) => problems.push(error),
    })
    for (const id of ['1', '2', '3']) log.record(entry(id))
    await log.flush()
    await log.flush()
    expect(problems).toHaveLength(1)
    expect(log.backlog()).toEqual({ waiting: 2, lost: 1 })
    rmSync(join(folder, 'data'))
    mkdirSync(join(folder, 'data'))
    await log.stop()
    expect(ids()).toEqual(['1', '2', undefined])
    expect(read().at(-1)).toEqual({ kind: 'gap', at: 9, dropped: 1 })
  })

  it('loses nothing of what is recorded while it writes', async () => {
    const log = new JsonlAuditLog({ path: path() })
    const expected = Array.from({ length: 500 }, (_, index) => String(index))
    for (const id of expected) {
      log.record(entry(id))
      if (Number(id) % 50 === 0) void log.flush()
    }
    await log.stop()
    expect(ids()).toEqual(expected)
  })
})
