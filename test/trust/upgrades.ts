// What `trust: "standard"` does with real upgrades: `npm run trust:upgrades -- <folder> [package…]`. Installs an older and a newer
// version of each server into the folder, lists both, and reviews the newer list after the older one. Needs the npm registry.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Approvals } from '../../packages/gateway/src/catalog/approvals.ts'
import { PinFiles } from '../../packages/gateway/src/catalog/pin-files.ts'
import { repairTools } from '../../packages/gateway/src/catalog/repair-tools.ts'
import { type Definition, fingerprintOf } from '../../packages/gateway/src/trust/fingerprint.ts'
import { scanReasons } from '../../packages/gateway/src/trust/scan-reasons.ts'

const run = promisify(execFile)
const RAW = { '~standard': { version: 1, vendor: 'upgrades', validate: (value: unknown) => ({ value }) } } as const
const KEY = 'not-a-real-key-0123456789'

interface Upgrade {
  readonly name: string
  /** The share of all published versions, oldest first, after which the older one is taken. Default 0.5. */
  readonly from?: number
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Servers that list their tools without an account. */
const UPGRADES: readonly Upgrade[] = [
  { name: '@modelcontextprotocol/server-everything' },
  { name: '@modelcontextprotocol/server-filesystem', args: [tmpdir()] },
  { name: '@modelcontextprotocol/server-memory' },
  { name: '@modelcontextprotocol/server-sequential-thinking' },
  { name: '@modelcontextprotocol/server-github', env: { GITHUB_PERSONAL_ACCESS_TOKEN: KEY } },
  { name: '@modelcontextprotocol/server-gitlab', env: { GITLAB_PERSONAL_ACCESS_TOKEN: KEY } },
  { name: '@modelcontextprotocol/server-brave-search', env: { BRAVE_API_KEY: KEY } },
  { name: '@playwright/mcp' },
  { name: '@upstash/context7-mcp' },
  { name: 'chrome-devtools-mcp' },
  { name: '@notionhq/notion-mcp-server', env: { NOTION_TOKEN: KEY } },
  { name: 'tavily-mcp', env: { TAVILY_API_KEY: KEY } },
  { name: 'firecrawl-mcp', env: { FIRECRAWL_API_KEY: KEY } },
  { name: 'exa-mcp-server', env: { EXA_API_KEY: KEY } },
  { name: '@wonderwhy-er/desktop-commander' },
  { name: 'mcp-server-kubernetes' },
  { name: 'airtable-mcp-server', env: { AIRTABLE_API_KEY: KEY } },
  { name: 'figma-developer-mcp', args: ['--stdio'], env: { FIGMA_API_KEY: KEY } },
  { name: '@eslint/mcp' },
  { name: '@brave/brave-search-mcp-server', env: { BRAVE_API_KEY: KEY } },
]

interface Row {
  readonly name: string
  readonly versions: string
  readonly tools: string
  readonly changed: number
  readonly added: number
  /** Changed tools that wait. */
  readonly held: readonly string[]
  readonly lost: readonly string[]
}

const [folder = join(tmpdir(), 'tooldex-upgrades'), ...only] = process.argv.slice(2)
const rows: Row[] = []
for (const upgrade of UPGRADES.filter(({ name }) => only.length === 0 || only.includes(name))) {
  try {
    const row = await compared(upgrade)
    rows.push(row)
    print(row)
  } catch (error) {
    process.stdout.write(`${upgrade.name}: not compared (${String(error).split('\n')[0]?.slice(0, 160)})\n`)
  }
}
const changed = rows.reduce((sum, row) => sum + row.changed, 0)
const held = rows.reduce((sum, row) => sum + row.held.length, 0)
const lost = rows.reduce((sum, row) => sum + row.lost.length, 0)
const share = changed === 0 ? 0 : (100 * held) / changed
process.stdout.write(
  `\n${rows.length} servers, ${changed} changed tools, ${held} held (${share.toFixed(1)} %), ${lost} lost\n`,
)
process.exitCode = share <= 5 && lost === 0 ? 0 : 1

function print({ name, versions, tools, changed: differing, added, held: waiting, lost: gone }: Row): void {
  process.stdout.write(
    `${name} ${versions}: ${tools} tools, ${differing} changed, ${added} added, ${waiting.length} held, ${gone.length} lost\n`,
  )
  for (const each of [...waiting, ...gone]) process.stdout.write(`    ${each}\n`)
}

async function compared(upgrade: Upgrade): Promise<Row> {
  const [older, newer] = await versionsOf(upgrade)
  const [before, after] = [await toolsOf(upgrade, older), await toolsOf(upgrade, newer)]
  const data = await mkdtemp(join(tmpdir(), 'tooldex-pins-'))
  const approvals = new Approvals({
    pins: new PinFiles(data),
    policy: () => ({ mode: 'standard', denied: new Set() }),
    scan: async () => scanReasons(),
    now: Date.now,
  })
  const first = await approvals.review('server', 'tool', before)
  const reviewed = await approvals.review('server', 'tool', after)
  await rm(data, { recursive: true })
  const isChanged = ([name, tool]: [string, Definition]): boolean => {
    const known = before.get(name)
    return known !== undefined && fingerprintOf('tool', known) !== fingerprintOf('tool', tool)
  }
  const waiting = approvals
    .held()
    .filter(({ approved }) => approved !== undefined)
    .map(({ name, reasons, isServed }) => {
      const why = reasons.map(({ rule, excerpt, field }) => `${rule} ${excerpt ?? field ?? ''}`).join('; ')
      return `held: ${name}${isServed ? '' : ' (not served)'}: ${why.slice(0, 300)}`
    })
  const accounted = new Set([...reviewed.served.keys(), ...approvals.held().map(({ name }) => name)])
  return {
    name: upgrade.name,
    versions: `${older} → ${newer}`,
    tools: `${before.size} (${first.withheld.size} held at first) → ${after.size}`,
    changed: [...after].filter(isChanged).length,
    added: [...after.keys()].filter((name) => !before.has(name)).length,
    held: waiting,
    lost: [...after.keys()].filter((name) => !accounted.has(name)).map((name) => `lost: ${name}`),
  }
}

async function versionsOf({ name, from = 0.5 }: Upgrade): Promise<[string, string]> {
  const { stdout } = await run('npm', ['view', name, 'versions', 'dist-tags.latest', '--json'], { maxBuffer: 1e8 })
  const { versions, 'dist-tags.latest': latest } = JSON.parse(stdout) as {
    versions: string[]
    'dist-tags.latest': string
  }
  const released = versions.filter((version) => /^[\d.]+$/.test(version))
  const older = released[Math.floor(released.length * from)]
  if (older === undefined || older === latest) return [released[0] ?? latest, latest]
  return [older, latest]
}

async function toolsOf(upgrade: Upgrade, version: string): Promise<ReadonlyMap<string, Definition>> {
  const home = join(folder, `${upgrade.name.replaceAll('/', '_')}@${version}`)
  const cached = join(home, 'tools.json')
  const listed = existsSync(cached)
    ? (JSON.parse(await readFile(cached, 'utf8')) as Record<string, unknown>[])
    : await listedBy(upgrade, version, home)
  await writeFile(cached, JSON.stringify(listed))
  const { tools } = repairTools(listed)
  return new Map(tools.map(({ definition }) => [definition.name, definition as unknown as Definition]))
}

async function listedBy({ name, args = [], env = {} }: Upgrade, version: string, home: string) {
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'package.json'), '{"private":true}')
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`], { cwd: home })
  const installed = join(home, 'node_modules', name)
  const { bin } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
    bin: string | Record<string, string>
  }
  const program = typeof bin === 'string' ? bin : (Object.values(bin)[0] ?? '')
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(installed, program), ...args],
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env },
    stderr: 'ignore',
  })
  const client = new Client({ name: 'upgrades', version: '1' })
  await client.connect(transport, { timeout: 60_000 })
  // As it came: the SDK refuses lists of some servers.
  const result = await client.request({ method: 'tools/list' }, RAW, { timeout: 60_000 })
  await client.close()
  return (result as { tools: Record<string, unknown>[] }).tools
}
