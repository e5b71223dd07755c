import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { readDataSet } from './data-set.ts'
import { evaluate, type Summary, summarise } from './evaluate.ts'
import { RANKERS } from './rankers/index.ts'
import { describeDrift, fallen, readRatchet, risen } from './ratchet.ts'

const golden = readDataSet(fileURLToPath(new URL('./golden', import.meta.url)))
const servers = new Set(golden.tools.map((tool) => tool.namespace))
const ours = RANKERS.filter((ranker) => ranker.ours)

describe('the golden set', () => {
  it('has the breadth that it claims', () => {
    expect(golden.tools.length).toBeGreaterThanOrEqual(120)
    expect(golden.queries.length).toBeGreaterThanOrEqual(170)
    expect(new Set(golden.queries.map((query) => query.id)).size).toBe(golden.queries.length)
  })

  it('is counted rightly in its README', () => {
    const readme = readFileSync(new URL('./golden/README.md', import.meta.url), 'utf8').replace(/ +/g, ' ')
    expect(readme).toContain(
      `${golden.tools.length} tools of ${servers.size} servers, ${golden.queries.length} queries`,
    )
    for (const [kind, queries] of Map.groupBy(golden.queries, (query) => query.kind)) {
      expect(readme).toContain(`| \`${kind}\` | ${queries.length} |`)
    }
  })
})

describe('our rankers on the golden set', () => {
  const ratchet = readRatchet()
  const now = new Map<string, Summary>()

  beforeAll(async () => {
    for (const ranker of ours) now.set(ranker.name, summarise((await evaluate(golden, ranker)).outcomes))
    const better = risen(ratchet, now).map(describeDrift)
    if (better.length > 0) {
      process.stderr.write(`Better than the ratchet; run npm run eval -- --update-ratchet:\n${better.join('\n')}\n`)
    }
  })

  it('have floors, and no floor is without its ranker', () => {
    expect([...ratchet.keys()].toSorted()).toEqual(ours.map((ranker) => ranker.name).toSorted())
  })

  it('stay above their floors', () => expect(fallen(ratchet, now).map(describeDrift)).toEqual([]))
})
