import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storedIds } from '../../packages/engine-lance/src/stored-table.case.ts'
import { ROOT } from '../../scripts/packages.ts'
import type { Json } from '../kit/clients.ts'
import { fixtureServer, type ServerEntry } from '../kit/fixture-server.ts'
import { type GatewaySetup, gatewayWith, type TestGateway, until } from '../kit/gateway.ts'

const PAGE = readFileSync(join(ROOT, 'docs/guide/large-catalogs.md'), 'utf8')
const [, chosen = ''] = /```json\n(\{ "search".*?)\n```/s.exec(PAGE) ?? []
const [, written = ''] = /`(wrote to the engine of the search index)`/.exec(PAGE) ?? []

/** Real tools, beside a clone that has them; elsewhere as many made ones as make searches wide. */
const CATALOG = join(ROOT, '../shared/bench/catalog/tools-1.jsonl')
const SERVERS = 8
const NOUNS = ['invoice', 'branch', 'mail', 'folder', 'ticket', 'picture', 'contract']
const VERBS = ['archive', 'paint', 'send', 'translate', 'count']

type Tool = Readonly<Record<string, unknown>> & { readonly name: string }
const rows: readonly Tool[] = existsSync(CATALOG)
  ? readFileSync(CATALOG, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Tool)
  : Array.from({ length: 5_600 }, (_, nth) => ({ name: `${VERBS[nth % 5]}_${NOUNS[nth % 7]}_${nth}` }))

/** Names are of one server each, and of no other tool of it. */
const names = new Set<string>()
const tools = rows.map(({ name, description, inputSchema = { type: 'object' } }, nth): Tool => {
  const unique = names.has(name) ? `${name.slice(0, 50)}_${nth}` : name
  names.add(unique)
  return { name: unique, description, inputSchema }
})
const ids = Array.from({ length: SERVERS }, (_, nth) => `server${nth}`)
const toolsOf = (server: number): readonly Tool[] => tools.filter((_, nth) => nth % SERVERS === server)
const [denied = '', wanted = ''] = [toolsOf(1)[10]?.name, toolsOf(2)[10]?.name]

/** A server with more tools than fit into its arguments. */
function serverWith(some: readonly Tool[], file: string): ServerEntry {
  const { command, args } = fixtureServer({ tools: [] }) as { command: string; args: string[] }
  writeFileSync(file, JSON.stringify({ tools: some }))
  const code = `process.argv.splice(1, 0, '', require('node:fs').readFileSync(${JSON.stringify(file)}, 'utf8'))
import(${JSON.stringify(args[0])})`
  return { command, args: ['-e', code] }
}

const setup = (folder: string): GatewaySetup => ({
  servers: Object.fromEntries(ids.map((id, nth) => [id, serverWith(toolsOf(nth), join(folder, `${id}.json`))])),
  projects: {
    wide: { servers: ids, exposure: 'meta-tools', tools: { [`server1:${denied}`]: { allowed: false } } },
    narrow: { servers: ['server1'], exposure: 'meta-tools' },
  },
  endpoints: { wide: { project: 'wide' }, narrow: { project: 'narrow' } },
  ...(JSON.parse(chosen) as object),
})

describe('docs/guide/large-catalogs.md', () => {
  let dataDir: string
  let gateway: TestGateway
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tooldex-engine-'))
    gateway = await gatewayWith(setup(dataDir), { dataDir, logLevel: 'debug' })
  }, 60_000)
  afterAll(async () => {
    await gateway.stop()
    await rm(dataDir, { recursive: true })
  })

  async function find(query: string, endpoint: string): Promise<Json> {
    const client = await gateway.client('modern', endpoint)
    return (await client.call('tool_discovery', { query: [query] }))['structuredContent']
  }

  const keysOf = (answer: Json): string[] => answer['results'].map(({ toolKey }: Json) => toolKey)

  it('[U21] works as written: the gateway writes its tools to the engine and searches on it', async () => {
    // The first search of a gateway with this many tools starts the thread that has the index.
    await find('paint a picture', 'narrow')
    await until(() => gateway.lines.some(({ msg }) => msg === written), 60_000)
    const { tools: searched, servers } = gateway.inside.catalog.snapshot()
    // Some of the real tools look hostile and are held.
    const held = servers.reduce((sum, { heldTools }) => sum + (heldTools?.size ?? 0), 0)
    expect(searched.size + held).toBeGreaterThan(0.999 * tools.length)
    const stored = async (): Promise<number> => (await storedIds(join(dataDir, 'engine'))).length
    await until(async () => (await stored()) === searched.size, 120_000)
    await until(async () => (await fetch(`${gateway.url}/readyz`)).ok)
    const wide = await find(wanted, 'wide')
    expect(wide).toMatchObject({ answeredBy: 'hybrid' })
    expect(wide['degraded']).toBeUndefined()
    expect(keysOf(wide)[0]).toBe(`server2:${wanted}`)
    expect(keysOf(await find(denied, 'wide'))).not.toContain(`server1:${denied}`)
    expect(keysOf(await find(denied, 'narrow'))[0]).toBe(`server1:${denied}`)
    expect(gateway.lines.filter(({ level }) => Number(level) >= 40)).toEqual([])
  }, 180_000)

  it('[U21] outlives a crash of the engine, whose process is replaced and ends with the gateway', async () => {
    const pids = (): number[] =>
      gateway.lines.flatMap(({ msg, pid }) => (String(msg).includes('a process of its own') ? Number(pid) : []))
    expect(pids()).toHaveLength(1)
    process.kill(Number(pids()[0]), 'SIGABRT')
    await until(() => pids().length === 2, 60_000)
    await expect.poll(() => find(wanted, 'wide').catch(String)).toMatchObject({ answeredBy: 'hybrid' })
    await expect.poll(async () => (await find(wanted, 'wide'))['degraded']).toBeUndefined()
    expect(gateway.lines).toContainEqual(expect.objectContaining({ reason: 'it ended with SIGABRT' }))
    await gateway.stop()
    expect(() => process.kill(Number(pids()[1]), 0)).toThrow('ESRCH')
  }, 120_000)
})
