import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from './gateway.ts'
import { type RoundRobin, roundRobin } from './round-robin.ts'
import { endProcess, type ServeProcess, startServe } from './serve.ts'
import { builtProgram } from './shared.ts'

const MAIN = await builtProgram()
const READY_MS = 30_000

/** The secret of the only token of the replicas. */
export const TOKEN = 'tdx_replicas-under-test'

/** How replicas are started. */
export interface ReplicasOptions {
  readonly databaseUrl: string
  readonly count: number
  /** Like `tooldex.json`. */
  readonly config: object
  /** The environment of each replica, by its number. */
  readonly variables?: (replica: number) => Readonly<Record<string, string>>
}

/** Gateways on one PostgreSQL database, behind a balancer that knows nothing of sessions. */
export class ReplicaSet implements AsyncDisposable {
  readonly #options: ReplicasOptions
  readonly #folder = mkdtempSync(join(tmpdir(), 'tooldex-replicas-'))
  readonly #running: (ServeProcess | undefined)[] = []
  #balancer: RoundRobin | undefined

  private constructor(options: ReplicasOptions) {
    this.#options = options
  }

  /** Resolves when all of them are ready. */
  static async start(options: ReplicasOptions): Promise<ReplicaSet> {
    const set = new ReplicaSet(options)
    // The first one makes the tables.
    for (let number = 0; number < options.count; number++) await set.restart(number)
    set.#balancer = await roundRobin(set.urls)
    return set
  }

  /** The address of the balancer. */
  get url(): string {
    return this.#balancer?.url ?? ''
  }

  /** The addresses of the replicas that run. */
  get urls(): string[] {
    return this.#running.flatMap((replica) => replica?.url ?? [])
  }

  urlOf(number: number): string {
    return this.#running[number]?.url ?? ''
  }

  /** Opens the admin API of a replica. */
  ownerToken(number: number): string {
    return this.#running[number]?.ownerToken ?? ''
  }

  logs(): string {
    return this.#running.map((replica) => replica?.log() ?? '').join('\n')
  }

  /** Ends a replica as a machine does that loses its power. The balancer is not told. */
  async kill(number: number): Promise<void> {
    const { child } = this.#taken(number)
    await endProcess(child, 'SIGKILL')
  }

  /** Asks a replica to stop, and waits until it has. */
  async stop(number: number): Promise<void> {
    await endProcess(this.#taken(number).child)
  }

  /** Suspends a replica, and returns the function that lets it go on. */
  freeze(number: number): () => void {
    const child = this.#running[number]?.child
    child?.kill('SIGSTOP')
    return () => child?.kill('SIGCONT')
  }

  /** Starts a replica, and resolves when it is ready. */
  async restart(number: number): Promise<void> {
    const { databaseUrl, config, variables = () => ({}) } = this.#options
    const configFile = join(this.#folder, `${number}.json`)
    const tokens = [{ name: 'test', sha256: createHash('sha256').update(TOKEN).digest('hex') }]
    writeFileSync(configFile, JSON.stringify({ database: databaseUrl, logLevel: 'warn', tokens, ...config }))
    const replica = await startServe({
      main: MAIN,
      configFile,
      dataDir: join(this.#folder, String(number)),
      nodeOptions: ['--conditions=tooldex-source'],
      variables: { TOOLDEX_SECRET_KEY: 'a key that all replicas have', ...variables(number) },
    })
    await until(async () => (await fetch(`${replica.url}/readyz`)).ok, READY_MS)
    this.#running[number] = replica
    this.#balancer?.use(this.urls)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#balancer?.[Symbol.asyncDispose]()
    await Promise.all(
      this.#running.flatMap((replica) => (replica === undefined ? [] : endProcess(replica.child, 'SIGKILL'))),
    )
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 })
  }

  #taken(number: number): ServeProcess {
    const replica = this.#running[number]
    if (replica === undefined) throw new Error(`The replica ${number} does not run`)
    this.#running[number] = undefined
    return replica
  }
}
