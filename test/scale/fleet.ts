import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PostgresServer, startPostgres } from '../kit/postgres.ts'
import { startServe } from '../kit/serve.ts'
import { builtProgram } from '../kit/shared.ts'
import { Program } from '../faults/program.ts'

const MAIN = await builtProgram()
const PROBE = new URL('../faults/loop-probe.mjs', import.meta.url).href
/** All replicas have the same key. */
export const SECRET_KEY = 'a key that all replicas of a fleet have'

/** Replicas of the program, as it is published, on one PostgreSQL database. */
export class Fleet implements AsyncDisposable {
  readonly databaseUrl: string
  readonly #postgres: PostgresServer
  readonly #folder = mkdtempSync(join(tmpdir(), 'tooldex-scale-'))
  readonly #replicas = new Set<Program>()

  private constructor(postgres: PostgresServer) {
    this.#postgres = postgres
    this.databaseUrl = postgres.url
  }

  /** Starts the database, without a replica. */
  static async start(): Promise<Fleet> {
    return new Fleet(await startPostgres())
  }

  /** The database, to be stopped and frozen. */
  get postgres(): PostgresServer {
    return this.#postgres
  }

  /** Where a replica keeps its files. Its index is found there at its next start. */
  dataDir(name: string): string {
    return join(this.#folder, name)
  }

  /** Starts a replica with a probe in its event loop. Resolves when it accepts connections. */
  async replica(name: string, config: object = {}, more: readonly string[] = []): Promise<Program> {
    const configFile = join(this.#folder, `${name}.json`)
    writeFileSync(configFile, JSON.stringify({ database: this.databaseUrl, logLevel: 'warn', ...config }))
    const nodeOptions = ['--conditions=tooldex-source', '--expose-gc', '--import', PROBE, ...more]
    const variables = { TOOLDEX_SECRET_KEY: SECRET_KEY }
    const dataDir = this.dataDir(name)
    const replica = new Program(
      await startServe({ main: MAIN, configFile, dataDir, nodeOptions, ipc: true, variables }),
    )
    this.#replicas.add(replica)
    return replica
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Array.from(this.#replicas, (replica) => replica[Symbol.asyncDispose]()))
    await this.#postgres.stop()
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
