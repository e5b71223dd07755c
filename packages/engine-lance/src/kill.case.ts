import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { IndexedTool } from '@tooldex/search'
import { CatalogFigures, ToolAnalyser } from '@tooldex/search/engine'
import { openLanceEngine } from './lance-engine.ts'

export const CATALOG = 'killed'
const WRITER = fileURLToPath(new URL('./fixtures/killed-writer.ts', import.meta.url))
const WORDS = ['create', 'list', 'delete', 'search', 'send', 'read']
const KEPT = 12

/** The tools of a revision: those of the last dozen, and one that changes with each. */
export function toolsOfRevision(revision: number): IndexedTool[] {
  const first = Math.max(1, revision - KEPT)
  const some = Array.from({ length: Math.max(0, revision - first + 1) }, (_, nth) => toolOf(first + nth))
  return revision === 0 ? [] : [...some, { ...toolOf(0), id: 'server:current', description: `At ${revision}.` }]
}

function toolOf(number: number): IndexedTool {
  const name = `${WORDS[number % WORDS.length]}_${number}`
  return { id: `server:${name}`, namespace: 'server', name, description: `Does ${name} for you.` }
}

/** Kills a writer at some moment of its work, and answers the last revision that it was promised. */
export async function killWriter(at: string, afterMs: number): Promise<number> {
  const writer = spawn(process.execPath, ['--conditions=tooldex-source', WRITER, at], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let promised = 0
  for await (const line of createInterface({ input: writer.stdout })) {
    if (line === 'open') setTimeout(() => writer.kill('SIGKILL'), afterMs)
    else promised = Number(line)
  }
  return promised
}

/** What is wrong with a catalog whose writer was killed; empty where nothing was lost and nothing is there twice. */
export async function problemsAfterKill(at: string, promised: number): Promise<readonly string[]> {
  const engine = await openLanceEngine({ at, role: 'reader', catalog: CATALOG })
  const rule = { tenant: '', servers: 'all', except: [] } as const
  const revision = await engine.revision()
  const tools = (await engine.scope(rule, 1_000)) ?? []
  const expected = await new ToolAnalyser().analyse(toolsOfRevision(revision))
  const figures = new CatalogFigures()
  for (const tool of expected) figures.add(tool)
  const wanted = { words: [{ stem: 'creat', weight: 1, said: true }], vectors: [], names: [], prefixes: [] }
  const { statistics } = await engine.candidates(wanted, rule, 1_000)
  await engine.close()
  const textOf = (some: typeof tools): string =>
    JSON.stringify(some.map(({ id, terms }) => [id, Buffer.from(terms).toString('base64')]).toSorted())
  const statisticsText = JSON.stringify(figures.statisticsFor(wanted, [], expected).words.stems.get('creat'))
  return [
    ...(revision < promised ? [`promised ${promised}, found ${revision}`] : []),
    ...(textOf(tools) === textOf(expected) ? [] : [`revision ${revision} has other tools`]),
    ...(JSON.stringify(statistics.words.stems.get('creat')) === statisticsText
      ? []
      : [`revision ${revision} has other statistics`]),
  ]
}
