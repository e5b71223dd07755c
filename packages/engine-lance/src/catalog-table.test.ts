import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Table } from '@lancedb/lancedb'
import { ToolAnalyser } from '@tooldex/search/engine'
import { afterAll, describe, expect, it } from 'vitest'
import { engineTool } from '../../search/src/engine/engine-contract.case.ts'
import { tidyTable } from './catalog-table.ts'
import { openLanceEngine } from './lance-engine.ts'
import { storedTable } from './stored-table.case.ts'

const root = mkdtempSync(join(tmpdir(), 'tooldex-tidy-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** As if the table had so many tools: it then gets an index of vectors. */
const MANY = 50_000

async function tableWith(dimensions: number): Promise<Table> {
  const at = join(root, String(dimensions))
  const engine = await openLanceEngine({ at, role: 'writer', catalog: 'test', model: { id: 'toy', dimensions } })
  const tools = Array.from({ length: 600 }, (_, nth) => engineTool(`s${nth % 7}`, `tool_${nth}`, `Paints ${nth}.`))
  const put = (await new ToolAnalyser().analyse(tools)).map((tool, nth) => ({
    ...tool,
    vector: Int8Array.from({ length: dimensions }, (_, at) => ((nth * 31 + at * 17) % 200) - 100),
  }))
  await engine.apply({ from: 0, to: 1, put, remove: [] })
  await engine.close()
  return storedTable(at)
}

const indexed = async (table: Table) => (await table.listIndices()).map(({ columns: [column] }) => column).toSorted()

describe('tidying up a table', () => {
  it('makes the index of vectors anew where LanceDB cannot bring it up to date', async () => {
    const table = await tableWith(64)
    await tidyTable(table, 64, MANY)
    let failures = 1
    const failing: Table = Object.assign(Object.create(table) as Table, {
      optimize: (...given: Parameters<Table['optimize']>) =>
        failures-- > 0 ? Promise.reject(new Error('ivf_6.lance not found')) : table.optimize(...given),
    })
    await tidyTable(failing, 64, MANY)
    expect(failures).toBe(-1)
    expect(await indexed(table)).toEqual(['id', 'kind', 'name', 'server_number', 'vector', 'words'])
    expect(await table.indexStats('vector_idx')).toMatchObject({ numUnindexedRows: 0, numIndices: 1 })
    failures = 2
    await expect(tidyTable(failing, 64, MANY)).rejects.toThrow('ivf_6.lance not found')
  })

  it('leaves vectors of a number of dimensions that LanceDB cannot index to be compared row by row', async () => {
    const table = await tableWith(100)
    await tidyTable(table, 100, MANY)
    expect(await indexed(table)).toEqual(['id', 'kind', 'name', 'server_number', 'words'])
  })
})
