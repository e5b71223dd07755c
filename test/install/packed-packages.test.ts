import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packageFolders, ROOT } from '../../scripts/packages.ts'
import { run } from '../../scripts/run.ts'
import { NOTICES, SBOM } from '../../scripts/third-party.ts'
import { oldestTools, packAndInstall, type Packed } from './packed.ts'

const REPOSITORY = 'https://github.com/tooldex/tooldex'
const json = (...path: string[]): Record<string, unknown> =>
  JSON.parse(readFileSync(join(...path), 'utf8')) as Record<string, unknown>

/** The paths that a manifest names, at any depth, without those of the sources. */
const pathsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : Object.entries(value as object).flatMap(([key, each]) => (key === 'tooldex-source' ? [] : pathsIn(each)))

let packed: Packed
let tools: Awaited<ReturnType<typeof oldestTools>>
let nodes: readonly string[]
beforeAll(async () => {
  ;[packed, tools] = await Promise.all([packAndInstall(), oldestTools()])
  nodes = [process.execPath, ...(tools.node === undefined ? [] : [tools.node])]
}, 240_000)
afterAll(() => packed?.remove())

describe.each(packageFolders())('the packed %s', (folder) => {
  const unpacked = () => packed.unpacked.get(folder) ?? ''

  it('has its licence, a README and a complete manifest', () => {
    expect(readFileSync(join(unpacked(), 'LICENSE'), 'utf8')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'))
    expect(readFileSync(join(unpacked(), 'README.md'), 'utf8')).toMatch(/^# /)
    const manifest = json(unpacked(), 'package.json')
    expect(manifest).toMatchObject({
      license: 'Apache-2.0',
      repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory: folder },
      keywords: expect.arrayContaining(['mcp']),
      engines: { node: expect.stringMatching(/^>=\d/) },
      publishConfig: { access: 'public' },
    })
    const version = json(ROOT, 'package.json')['version']
    expect(manifest['version']).toBe(version)
    for (const [name, range] of Object.entries((manifest['dependencies'] ?? {}) as Record<string, string>)) {
      if (name.startsWith('@tooldex/')) expect([name, range]).toEqual([name, version])
    }
  })

  it('contains every file that its manifest names, built from sources without built files', () => {
    const { exports = {}, bin = {} } = json(unpacked(), 'package.json') as { exports?: object; bin?: object }
    const named = [...pathsIn(exports), ...pathsIn(bin)]
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((path) => !existsSync(join(unpacked(), path)))).toEqual([])
    const files = readdirSync(unpacked(), { recursive: true, encoding: 'utf8' })
    expect(files.filter((file) => /(?:\.(?:test|case)\.|^src|\.tsbuildinfo$)/.test(file))).toEqual([])
  })

  it('has a README whose links work where it is installed', () => {
    const readme = readFileSync(join(unpacked(), 'README.md'), 'utf8')
    const links = [...readme.matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)].map(([, link = '']) => link)
    const dead = links.filter((link) => {
      if (link.startsWith(`${REPOSITORY}/blob/main/`))
        return !existsSync(join(ROOT, link.slice(REPOSITORY.length + 11)))
      return !link.startsWith('https:') && !existsSync(join(unpacked(), link))
    })
    expect(dead).toEqual([])
  })
})

describe('the packages with other people’s code', () => {
  it.each(['packages/gateway', 'packages/console'])('%s names it with licences and as an SBOM', (folder) => {
    const unpacked = packed.unpacked.get(folder) ?? ''
    const notices = readFileSync(join(unpacked, 'dist', NOTICES), 'utf8')
    const { components } = json(unpacked, 'dist', SBOM) as { components: { name: string; licenses?: unknown }[] }
    expect(components.length).toBeGreaterThan(5)
    for (const { name, licenses } of components) {
      expect(notices).toContain(`${name} `)
      expect([name, licenses]).toEqual([
        name,
        [{ expression: expect.stringMatching(/^(?:MIT|ISC|BSD|Apache-2\.0|0BSD|BlueOak)/) }],
      ])
    }
  })
})

describe('the installed packages', () => {
  it('run on the oldest supported Node and on the pinned one', async () => {
    const versions = await Promise.all(nodes.map(async (node) => (await run(node, ['--version'])).output))
    expect(versions[0]).toMatch(/^v24\./)
    if (process.platform === 'linux') expect(versions[1]).toMatch(/^v22\./)
    for (const node of nodes) {
      const home = join(packed.consumer, `home-${nodes.indexOf(node)}`)
      mkdirSync(home)
      const env = { PATH: `${dirname(node)}:${process.env['PATH'] ?? ''}`, HOME: home, USERPROFILE: home }
      const tooldex = (...args: string[]) =>
        run('npx', ['--no-install', 'tooldex', ...args], { cwd: packed.consumer, env })
      expect(await tooldex('--version')).toEqual({ code: 0, output: json(ROOT, 'package.json')['version'] })
      const bare = await tooldex()
      expect([bare.code, bare.output]).toEqual([0, expect.stringContaining('tooldex')])
      const check = await tooldex('server', 'list', '--json', '--data', join(home, 'data'))
      expect(check).toEqual({ code: 0, output: '{"servers":[]}' })
    }
  }, 120_000)

  it('answer a first search of the library on both', async () => {
    const program = join(packed.consumer, 'first.mjs')
    writeFileSync(
      program,
      `import { Bm25Provider, createToolIndex } from '@tooldex/search'
import { loadStaticEmbedder } from '@tooldex/embeddings'
import { createQueryReader } from '@tooldex/languages'
const index = createToolIndex({ provider: new Bm25Provider() })
await index.registerToolsFromMCP('a', [{ name: 'create_issue', description: 'Open an issue' }])
const { results } = await index.search('open an issue')
console.log(results.map(({ id }) => id).join(), typeof createQueryReader, typeof loadStaticEmbedder)
`,
    )
    const output = 'a:create_issue function function'
    for (const node of nodes) expect(await run(node, [program], { cwd: packed.consumer })).toEqual({ code: 0, output })
  })

  it('search by meaning in a thread on both, as a gateway with thousands of tools does', async () => {
    const program = join(packed.consumer, 'thread.mjs')
    writeFileSync(
      program,
      `import { Worker } from 'node:worker_threads'
const url = new URL('catalog/search-index/index-thread.js', import.meta.resolve('tooldex'))
const workerData = { vectorsFolder: 'vectors', saveAfterMs: 60_000, scopeBytes: 1_000_000 }
const worker = new Worker(url, { workerData })
const put = [{ id: 'a:create_issue', name: 'create_issue', namespace: 'a', description: 'Open an issue' }]
worker.postMessage({ kind: 'change', put, remove: [] })
worker.postMessage({ kind: 'filled' })
worker.postMessage({ kind: 'search', id: 1, strategy: 'hybrid', request: { queries: ['file a bug'], maxResults: 1 } })
worker.on('message', ({ kind, answer }) => {
  if (kind === 'log') return
  console.log(kind, answer?.answeredBy, answer?.hits[0]?.id)
  void worker.terminate()
})
`,
    )
    const output = 'found hybrid a:create_issue'
    for (const node of nodes) expect(await run(node, [program], { cwd: packed.consumer })).toEqual({ code: 0, output })
  })

  it('search on LanceDB in a process on both, once its package is installed beside the gateway', async () => {
    const program = join(packed.consumer, 'engine.mjs')
    writeFileSync(
      program,
      `import { fork } from 'node:child_process'
const url = new URL('catalog/search-index/index-thread.js', import.meta.resolve('tooldex'))
const index = fork(url, { serialization: 'advanced' })
const engine = { at: process.argv[2], storage: {}, catalog: 'mine' }
index.send({ setup: { vectorsFolder: 'vectors', saveAfterMs: 60_000, scopeBytes: 1_000_000, engine } })
const put = [{ id: 'a:create_issue', name: 'create_issue', namespace: 'a', description: 'Open an issue' }]
index.send({ kind: 'change', put, remove: [] })
index.send({ kind: 'filled' })
index.send({ kind: 'role', role: 'writer' })
index.send({ kind: 'built', id: 1 })
index.on('message', ({ kind, level, facts, answer }) => {
  if (level === 'warn') console.log(facts.reason)
  if (kind === 'done') {
    index.send({ kind: 'search', id: 2, strategy: 'hybrid', request: { queries: ['file a bug'], maxResults: 1 } })
  }
  if (kind !== 'found') return
  console.log(kind, answer.answeredBy, answer.hits[0]?.id, answer.degraded)
  index.kill('SIGKILL')
})
`,
    )
    const output = 'found hybrid a:create_issue undefined'
    for (const [nth, node] of nodes.entries()) {
      const at = join(packed.consumer, `engine-${nth}`)
      expect(await run(node, [program, at], { cwd: packed.consumer })).toEqual({ code: 0, output })
      expect(readdirSync(at)).toEqual(['tooldex_catalog.lance'])
    }
  })

  it('have types for TypeScript 5.0 and for the newest', async () => {
    const { consumer } = packed
    writeFileSync(join(consumer, 'consumer.ts'), CONSUMER)
    const config = (skipLibCheck: boolean) => ({
      compilerOptions: {
        ...{ module: 'node16', moduleResolution: 'node16', target: 'es2022', lib: ['es2022', 'dom'], types: ['node'] },
        ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck },
        typeRoots: [relative(consumer, join(ROOT, 'node_modules/@types'))],
      },
      files: ['consumer.ts'],
    })
    for (const tsc of [tools.tsc, join(ROOT, 'node_modules/typescript/bin/tsc')]) {
      writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify(config(true)))
      expect(await run(process.execPath, [tsc, '-p', consumer], { cwd: consumer })).toEqual({ code: 0, output: '' })
      // Other libraries may need a newer TypeScript in their declarations; ours do not.
      writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify(config(false)))
      const { output } = await run(process.execPath, [tsc, '-p', consumer], { cwd: consumer })
      expect(
        output.split('\n').filter((line) => /^(?:node_modules\/(?:@tooldex\/|tooldex\/)|consumer)/.test(line)),
      ).toEqual([])
    }
  }, 120_000)
})

/** Uses types so that `any` in their place is an error. */
const CONSUMER = `
import { Bm25Provider, createToolIndex, type Tool, ToolSearchError } from '@tooldex/search'
import * as relevance from '@tooldex/search/relevance'
import * as engine from '@tooldex/search/engine'
import * as text from '@tooldex/search/text'
import * as contract from '@tooldex/contract'
import * as embeddings from '@tooldex/embeddings'
import * as languages from '@tooldex/languages'
import { assemble, GatewayError, type GatewayErrorCode } from 'tooldex'

type IsAny<Type> = 0 extends 1 & Type ? true : false
const no = <Value>(_value: Value, isAny: IsAny<Value>): boolean => isAny
export const checks: boolean[] = [
  no(createToolIndex, false),
  no(Bm25Provider, false),
  no(relevance, false),
  no(engine, false),
  no(text, false),
  no(contract, false),
  no(embeddings, false),
  no(languages, false),
  no(assemble, false),
]
const code: GatewayErrorCode = 'TOOL_NOT_FOUND'
export const tool = (given: Tool): string => given.name
export const error: Error = new GatewayError(code)
// @ts-expect-error -- codes are a closed set
export const wrong = new GatewayError('NO_SUCH_CODE')
export const isOurs = (thrown: unknown): boolean => thrown instanceof ToolSearchError
`
