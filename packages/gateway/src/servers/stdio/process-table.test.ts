import { spawn } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { type ProcessTable, PsTable, systemProcessTable } from './process-table.ts'

const TABLES: readonly (readonly [string, ProcessTable])[] = [
  ['the table of this system', systemProcessTable(process.platform)],
  ['ps', new PsTable()],
]

describe.each(TABLES)('%s', (_, table) => {
  it('knows this process and its parent', async () => {
    const rows = await table.rows()
    const row = rows.get(process.pid)
    expect(row).toMatchObject({ pid: process.pid, parent: process.ppid })
    expect(row?.startedAt).toBeGreaterThan(0)
    expect(await table.row(process.pid)).toEqual(row)
  })

  it('knows the group of a child, and that it is gone afterwards', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
    const pid = child.pid ?? 0
    expect(await table.row(pid)).toMatchObject({ parent: process.pid, group: pid })
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await exited
    expect(await table.row(pid)).toBeUndefined()
  })

  it('answers simultaneous callers', async () => {
    const [first, second] = await Promise.all([table.rows(), table.rows(), table.rows()])
    expect(first?.has(process.pid)).toBe(true)
    expect(second?.has(process.pid)).toBe(true)
  })
})
