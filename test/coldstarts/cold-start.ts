import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, connectStdio, type TestClient } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { endProcess, startServe } from '../kit/serve.ts'
import { builtProgram } from '../kit/shared.ts'

const MAIN = await builtProgram()
const NODE_OPTIONS = ['--conditions=tooldex-source']
const TOOLS_EACH = 3
/** The gateway's own tools in the default dialect. */
export const OWN_TOOLS: readonly string[] = ['tool_discovery', 'tool_execute']

/** All exposures, and the transports and clients of a first list. */
export const EXPOSURES = ['auto', 'full', 'deferred', 'limited', 'search-only', 'meta-tools'] as const
export const TRANSPORTS = ['stdio', 'http'] as const
const CLIENTS = ['modern', 'legacy', 'v1'] as const

/** One cold start. */
export interface ColdStart {
  readonly transport: (typeof TRANSPORTS)[number]
  readonly exposure: (typeof EXPOSURES)[number]
  readonly client: (typeof CLIENTS)[number]
  readonly servers: number
  /** How many of them need `slowMs` to start. */
  readonly slow: number
  readonly slowMs: number
}

/** What the first client got. */
export interface FirstList {
  readonly tools: readonly string[]
  /** From the start of the program to the list. */
  readonly fromStartMs: number
  /** From the request for the list to the list. */
  readonly fromRequestMs: number
}

/** A folder for a gateway that was never started, removed in the end. */
export class ColdHome implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'tooldex-cold-'))
  readonly configFile = join(this.folder, 'tooldex.json')
  readonly dataDir = join(this.folder, 'data')

  constructor(
    { exposure, servers, slow, slowMs }: Pick<ColdStart, 'exposure' | 'servers' | 'slow' | 'slowMs'>,
    startGraceMs?: number,
  ) {
    const entries = Array.from({ length: servers }, (_, index) => {
      const tools = Array.from({ length: TOOLS_EACH }, (_each, number) => textTool(`tool_${number}`, 'Does something'))
      return [`s${index}`, fixtureServer({ tools, ...(index < slow && { startDelayMs: slowMs }) })]
    })
    const config = {
      mcpServers: Object.fromEntries(entries),
      projects: { default: { exposure } },
      endpoints: { default: { auth: 'none' } },
      logLevel: 'silent',
      ...(startGraceMs !== undefined && { startGraceMs }),
    }
    writeFileSync(this.configFile, JSON.stringify(config))
  }

  /** Connects a client that starts the program itself. */
  stdioClient(client: ColdStart['client']): Promise<TestClient> {
    const args = [...NODE_OPTIONS, MAIN, 'stdio', '--config', this.configFile, '--data', this.dataDir]
    return connectStdio(client, { command: process.execPath, args, stderr: 'ignore' })
  }

  serve(): ReturnType<typeof startServe> {
    const { configFile, dataDir } = this
    return startServe({ main: MAIN, configFile, dataDir, nodeOptions: NODE_OPTIONS })
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** The first list that a client gets from a gateway without any stored list. */
export async function coldStart(start: ColdStart): Promise<FirstList> {
  using home = new ColdHome(start)
  const startedAt = performance.now()
  if (start.transport === 'stdio') return await firstList(await home.stdioClient(start.client), startedAt)
  const gateway = await home.serve()
  try {
    return await firstList(await connect(start.client, gateway.url, undefined), startedAt)
  } finally {
    await endProcess(gateway.child)
  }
}

/** Asks for the list at once and closes the client. */
export async function firstList(client: TestClient, startedAt: number): Promise<FirstList> {
  try {
    const askedAt = performance.now()
    const tools = await client.listTools()
    const now = performance.now()
    const names = tools.map(({ name }) => String(name))
    return { tools: names, fromStartMs: now - startedAt, fromRequestMs: now - askedAt }
  } finally {
    await client.close()
  }
}

/** Cold starts that vary everything: `count` per transport, or `count` per combination. */
export function coldStarts(count: number, isFull: boolean, slowMs = 5_000): ColdStart[] {
  const combinations = TRANSPORTS.flatMap((transport) =>
    EXPOSURES.flatMap((exposure) => [1, 5, 20].map((servers) => ({ transport, exposure, servers }))),
  )
  const perTransport = combinations.length / TRANSPORTS.length
  return combinations.flatMap((combination, at) => {
    const share = Math.floor(count / perTransport) + Number(at % perTransport < count % perTransport)
    return Array.from({ length: isFull ? count : share }, (_, run) => ({
      ...combination,
      client: CLIENTS[(at + Math.floor(at / CLIENTS.length) + run) % CLIENTS.length] ?? 'modern',
      slow: combination.servers === 1 ? run % 2 : Math.ceil(combination.servers / 5),
      slowMs,
    }))
  })
}
