// Short forms of rows that have no other test. Memory is judged by the long form alone: a process grows until it is warm.

import { expect, it } from 'vitest'
import { SHORT, type Scenario } from './row.ts'
import { databaseOutages, soak } from './under-load.ts'

const TIME_LIMIT_MS = 120_000

/** The rows of a scenario that do not keep their promise. */
async function missed({ rows, run }: Scenario): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const [name, row] of run(new Set(rows), SHORT)) if (!row.ok) found.push([name, row])
  return found
}

it(
  'three replicas fail no call and audit each once while PostgreSQL is stopped, frozen and restarted',
  async () => {
    expect(await missed(databaseOutages)).toEqual([])
  },
  TIME_LIMIT_MS,
)

it(
  'three replicas fail no call and leave no descriptor open under 300 calls a second',
  async () => {
    const others = (await missed(soak)).filter((row) => !JSON.stringify(row).startsWith('["soak: memory growth"'))
    expect(others).toEqual([])
  },
  TIME_LIMIT_MS,
)
