import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { OutputChunk } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BackgroundIndex } from '../packages/gateway/src/catalog/search-index/background-index.ts'
import { bundleProgram, PROGRAM } from './bundle-program.ts'
import { packageOf } from './declarations.ts'
import { ROOT } from './packages.ts'
import { NOTICES, SBOM } from './third-party.ts'

interface Bom {
  readonly metadata: { readonly component: { readonly name: string } }
  readonly components: readonly { readonly name: string; readonly version: string; readonly purl: string }[]
}

const home = mkdtempSync(join(tmpdir(), 'tooldex-bundle-'))
const dist = join(home, 'dist')
let chunks: ReadonlyMap<string, OutputChunk>

beforeAll(async () => {
  cpSync(join(ROOT, PROGRAM, 'package.json'), join(home, 'package.json'))
  const { output } = await bundleProgram(dist)
  chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])))
}, 60_000)
afterAll(() => rmSync(home, { recursive: true }))

/** Everything that is loaded with the modules of these names. */
function loadedWith(...sources: readonly string[]): ReadonlySet<OutputChunk> {
  const loaded = new Set<OutputChunk>()
  const load = (chunk: OutputChunk | undefined): void => {
    if (chunk === undefined || loaded.has(chunk)) return
    loaded.add(chunk)
    for (const name of chunk.imports) load(chunks.get(name))
  }
  for (const source of sources) {
    const found = [...chunks.values()].filter(({ moduleIds }) => moduleIds.some((id) => id.endsWith(source)))
    expect(found, source).toHaveLength(1)
    load(found[0])
  }
  return loaded
}

const modulesOf = (loaded: ReadonlySet<OutputChunk>): string[] => [...loaded].flatMap(({ moduleIds }) => moduleIds)

describe('the published program', () => {
  it('runs from its bundle', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(dist, 'main.js'), '--version'])
    const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string }
    expect(stdout.trim()).toBe(version)
  })

  it('consists of ASCII characters', () => {
    const others = [...chunks.keys()].filter((name) => /[^\0-\x7f]/.test(readFileSync(join(dist, name), 'utf8')))
    expect(others).toEqual([])
  })

  it('starts to serve with less than 1.75 MB of code, without modules that only some gateways need', () => {
    const loaded = loadedWith(
      'commands/main.ts',
      'commands/serve.ts',
      'gateway/src/assemble.ts',
      'sqlite/open-sqlite.ts',
    )
    const bytes = [...loaded].reduce((sum, { fileName }) => sum + readFileSync(join(dist, fileName)).length, 0)
    expect(bytes).toBeGreaterThan(300_000)
    expect(bytes).toBeLessThan(1_750_000)
    const unwanted = /@modelcontextprotocol|prom-client|@opentelemetry|admin-api|\/(?:hono|jose|re2js)\/|open-postgres/
    expect(modulesOf(loaded).filter((id) => unwanted.test(id))).toEqual([])
  })

  it('loads nothing but SQLite in the thread of the database', () => {
    const names = modulesOf(loadedWith('sqlite/sqlite-thread.ts')).map((id) => id.replaceAll('\\', '/'))
    expect(names.filter((id) => !/\/store\/sqlite\/|rolldown/.test(id))).toEqual([])
  })

  it('searches in a thread of its own', async () => {
    const program = pathToFileURL(join(dist, 'catalog', 'search-index', 'index-thread.js'))
    const log = { debug: () => {}, warn: () => {} }
    const tools = () => [{ id: 's:create_issue', name: 'create_issue', namespace: 's' }]
    const index = new BackgroundIndex({ program, tools, log, setup: { vectorsFolder: join(home, 'vectors') } })
    index.fill()
    const { hits } = await index.provider('bm25').search({ queries: ['create an issue'], maxResults: 1 })
    expect(hits[0]?.id).toBe('s:create_issue')
    await index.close()
  })

  it('ends the processes of a killed gateway with a small program of its own', () => {
    const loaded = loadedWith('stdio/end-leftovers.ts')
    const bytes = [...loaded].reduce((sum, { fileName }) => sum + readFileSync(join(dist, fileName)).length, 0)
    expect(bytes).toBeLessThan(30_000)
    const processes = join(dist, 'data', 'processes')
    mkdirSync(processes, { recursive: true })
    writeFileSync(join(processes, '4194309.jsonl'), '')
    const program = join(dist, 'servers', 'stdio', 'end-leftovers.js')
    const { status } = spawnSync(process.execPath, [program, join(dist, 'data'), '4194309'], { stdio: 'inherit' })
    expect(status).toBe(0)
    expect(readdirSync(processes)).toEqual([])
  })

  it('depends on the packages that the bundle leaves out, and on no bundled one', () => {
    const named = [...chunks.values()].flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
    const left = new Set(named.filter((name) => !chunks.has(name) && !name.startsWith('node:')).map(packageOf))
    const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { dependencies: object }
    const files = ['@tooldex/console', '@tooldex/embeddings']
    const types = ['@tooldex/contract', '@tooldex/search']
    expect(new Set(Object.keys(manifest.dependencies))).toEqual(new Set([...left, ...files, ...types]))
  })

  it('has the licences of the bundled libraries and lists them for audits', () => {
    const text = readFileSync(join(dist, NOTICES), 'utf8')
    expect(text).toMatch(/^kysely [\d.]+: MIT$/m)
    expect(text).toMatch(/^zod [\d.]+: MIT\n\nMIT License$/m)
    const { metadata, components } = JSON.parse(readFileSync(join(dist, SBOM), 'utf8')) as Bom
    expect(metadata.component.name).toBe('tooldex')
    const named = components.map(({ name, version }) => `${name} ${version}`)
    expect(named).toEqual([...text.matchAll(/^(\S+ [\d.]+(?:-\S+)?): \S/gm)].map(([, each]) => each))
    const bundled = [...chunks.values()]
      .flatMap(({ moduleIds }) => moduleIds)
      .filter((id) => id.includes('node_modules'))
    const packages = new Set(
      bundled.map((id) => packageOf(id.replaceAll('\\', '/').split('/node_modules/').at(-1) ?? '')),
    )
    expect(new Set(components.map(({ name }) => name))).toEqual(packages)
    expect(components.find(({ name }) => name === '@modelcontextprotocol/client')?.purl).toMatch(
      /^pkg:npm\/%40modelcontextprotocol\/client@/,
    )
  })
})
