import { type BackgroundLimits, SqliteBackground, ThreadEnded } from './sqlite-background.ts'
import { SqliteConnections, type StatementAnswer } from './sqlite-connections.ts'

/** Connections by name, each with its pragmas. */
type Connections = Readonly<Record<string, readonly string[]>>

/** A file and its connections. */
export interface SqliteFileSetup extends BackgroundLimits {
  readonly path: string
  /** Connections in this thread, for statements that are faster than a message to another thread. */
  readonly here: Connections
  /**
   * Connections in a worker thread, for slow statements. A connection in both starts its transactions in this thread
   * while the worker does not run: the gateway is idle then, and starting a worker takes longer than the statement.
   */
  readonly background: Connections
}

/** A SQLite file, open in this thread and, under load, in a worker thread. */
export class SqliteFile {
  readonly #here: SqliteConnections
  readonly #background: SqliteBackground
  readonly #inBackground: ReadonlySet<string>
  readonly #inBoth: ReadonlySet<string>
  /** Connections in both whose transaction began in this thread. */
  readonly #begunHere = new Set<string>()
  #isClosed = false

  constructor({ path, here, background, ...limits }: SqliteFileSetup) {
    this.#here = new SqliteConnections({ path, connections: here })
    this.#background = new SqliteBackground({ path, connections: background }, limits)
    this.#inBackground = new Set(Object.keys(background))
    this.#inBoth = new Set(Object.keys(background).filter((name) => name in here))
  }

  /** Opens the connections. Returns whether the file is intact. */
  open(): boolean {
    return this.#here.open({ isChecked: true })
  }

  /** Whether the worker thread runs. */
  get hasThread(): boolean {
    return this.#background.isRunning
  }

  /** Runs one statement. */
  async run(connection: string, sql: string, parameters: readonly unknown[] = []): Promise<StatementAnswer> {
    if (this.#isClosed) throw new ThreadEnded('The database is closed')
    if (sql === 'begin' && this.#inBoth.has(connection)) this.#choosePlace(connection)
    const isHere = !this.#inBackground.has(connection) || this.#begunHere.has(connection)
    return isHere ? this.#here.run(connection, sql, parameters) : this.#background.run(connection, sql, parameters)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#background.close()
    this.#here.close()
  }

  #choosePlace(connection: string): void {
    if (this.#background.isReady) this.#begunHere.delete(connection)
    else this.#begunHere.add(connection)
    this.#background.warmUp()
  }
}
