import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkConfig } from '@tooldex/contract'
import { createToken } from '../access/tokens.ts'
import type { Environment } from '../config/environment.ts'
import { configFrom, type ConfigOverrides, type LoadedConfig, modelOf } from '../config/load-config.ts'
import { DEFAULT_ENDPOINT, DEFAULT_PROJECT } from '../model/gateway-model.ts'
import { originOf } from '../model/last-good.ts'
import type { Store } from '../model/store.ts'
import { ownProgram } from '../package-files.ts'
import { type SampleServer, sampleServers } from './sample-catalog.ts'

const DEFAULT_PORT = 7420
const FILES: Readonly<Record<string, string>> = {
  'readme.md': '# Sample folder\n\nThe demo’s filesystem server may read and write here. Nothing of yours is in it.\n',
  'notes/meeting.md': '# Weekly review\n\n- the search is fast\n- the link on the start page is broken\n',
  'notes/ideas.txt': 'a tool index that finds the right tool\n',
  'data/orders.csv': 'id,customer,amount\n1,Lund,12.50\n2,Okafor,99.00\n',
}

/** A prepared demo. */
interface Demo {
  readonly loaded: LoadedConfig
  /** The configuration file, for use with other commands. */
  readonly configFile: string
  /**
   * Puts servers, project, endpoint and token into the store, where they can be changed; what an earlier demo stored stays as it
   * is. Returns the secret of the token, which is new at each start.
   */
  readonly fill: (store: Store, now: number) => Promise<string>
  /** Notes for the start screen. */
  readonly notes: readonly string[]
  /** Removes the data folder if it is temporary. */
  readonly remove: () => Promise<void>
}

/**
 * Creates the folders and the configuration of the demo: real servers that start with the gateway, and sample servers that
 * start when called. The lists of the samples are stored in advance, so that all tools are available at once.
 */
export async function prepareDemo(overrides: ConfigOverrides, environment: Environment): Promise<Demo> {
  const isTemporary = overrides.dataDir === undefined
  const dataDir = overrides.dataDir ?? (await mkdtemp(join(tmpdir(), 'tooldex-demo-')))
  const port = overrides.port ?? (await freePort(overrides.host ?? '127.0.0.1'))
  const folders = { files: join(dataDir, 'sample-files'), data: dataDir }
  await writeFiles(folders.files)
  const { found, missing } = npmServers(folders)
  // The demo must not write to the database of a team, nor serve its servers.
  const others = Object.entries(environment.variables).filter(([name]) => !name.startsWith('TOOLDEX_'))
  const variables = Object.fromEntries(others)
  const loaded = configFrom({ dataDir }, { ...environment, variables }, { ...overrides, port })
  const configFile = join(loaded.config.dataDir, 'tooldex.json')
  await writeFile(configFile, `${JSON.stringify({ dataDir }, null, 2)}\n`)
  return {
    loaded,
    configFile,
    fill: async (store, now) => {
      const samples = sampleServers()
      const entries = { ...found, ...Object.fromEntries(samples.map((sample) => [sample.name, sampleEntry(sample)])) }
      const secret = await storeDemo(store, entries, now)
      await keepSampleLists(samples, loaded, store)
      return secret
    },
    notes: missing.length === 0 ? [] : [`not installed and skipped: ${missing.join(', ')}`],
    remove: async () => {
      if (isTemporary) await rm(dataDir, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

const TOKEN = 'demo'

function storeDemo(store: Store, entries: Readonly<Record<string, object>>, now: number): Promise<string> {
  const at = { createdAt: now, updatedAt: now }
  const { config } = checkConfig({
    mcpServers: entries,
    projects: { [DEFAULT_PROJECT]: { name: 'demo', exposure: 'meta-tools' } },
    endpoints: { [DEFAULT_ENDPOINT]: {} },
  })
  const { mcpServers = {}, projects = {}, endpoints = {} } = config ?? {}
  return store.change(async (changes) => {
    if (changes.state.servers.length === 0) {
      for (const [id, each] of Object.entries(mcpServers)) await changes.putServer({ id, config: each, ...at })
      for (const [id, each] of Object.entries(projects)) await changes.putProject({ id, config: each, ...at })
      for (const [id, each] of Object.entries(endpoints)) await changes.putEndpoint({ id, config: each, ...at })
    }
    const { secret, hash } = createToken()
    await changes.putToken({ id: TOKEN, name: TOKEN, kind: 'client', hash, readOnly: false, ...at })
    return secret
  })
}

function sampleEntry({ name }: SampleServer): object {
  const script = fileURLToPath(ownProgram('demo/sample-server'))
  return { command: process.execPath, args: [script, name], start: 'on-demand' }
}

async function keepSampleLists(samples: readonly SampleServer[], loaded: LoadedConfig, store: Store): Promise<void> {
  const { servers } = modelOf(loaded, store.current()).model
  const definitions = new Map(servers.map((definition) => [definition.id, definition]))
  await Promise.all(
    samples.map(async ({ name, description, tools }) => {
      const definition = definitions.get(name)
      if (definition === undefined) return
      await store.lastGood.save(name, {
        origin: originOf(definition),
        ...(description !== undefined && { instructions: description }),
        lists: { tools: tools.map((tool) => ({ ...tool })), prompts: [], resources: [], resourceTemplates: [] },
      })
    }),
  )
}

async function writeFiles(folder: string): Promise<void> {
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}

/** The default port, or any free port if it is in use. */
function freePort(host: string): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(0))
    probe.listen(DEFAULT_PORT, host, () => probe.close(() => resolve(DEFAULT_PORT)))
  })
}

/** An MCP server from the npm registry that works offline. */
interface NpmServer {
  readonly id: string
  readonly package: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** An entry of `mcpServers`. */
interface DemoServer {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** The installed npm servers by id, and the ids of the missing ones. */
function npmServers(folders: { readonly files: string; readonly data: string }): {
  readonly found: Readonly<Record<string, DemoServer>>
  readonly missing: readonly string[]
} {
  const wanted: readonly NpmServer[] = [
    { id: 'filesystem', package: '@modelcontextprotocol/server-filesystem', args: [folders.files], env: {} },
    {
      id: 'memory',
      package: '@modelcontextprotocol/server-memory',
      args: [],
      env: { MEMORY_FILE_PATH: join(folders.data, 'memory.jsonl') },
    },
    { id: 'everything', package: '@modelcontextprotocol/server-everything', args: [], env: {} },
    { id: 'sequential-thinking', package: '@modelcontextprotocol/server-sequential-thinking', args: [], env: {} },
  ]
  const found: Record<string, DemoServer> = {}
  const missing: string[] = []
  for (const { id, package: name, args, env } of wanted) {
    const program = programOf(name)
    if (program === undefined) missing.push(id)
    else found[id] = { command: process.execPath, args: [program, ...args], env }
  }
  return { found, missing }
}

/** The script behind a package's command, if the package is installed. */
function programOf(name: string): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin?: string | Record<string, string> }
    const script = typeof bin === 'string' ? bin : Object.values(bin ?? {})[0]
    return script === undefined ? undefined : join(dirname(manifest), script)
  } catch {
    return undefined
  }
}
