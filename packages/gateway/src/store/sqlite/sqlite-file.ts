import { type BackgroundLimits, SqliteBackground, ThreadEnded } from './sqlite-background.ts'
import { SqliteConnections, type StatementAnswer } from './sqlite-connections.ts'

/** Connections by name, each with its pragmas. */
type Connections = Readonly<Record<string, readonly string[]>>

/** A file, and where its connections are. */
export interface SqliteFileSetup extends BackgroundLimits {
  readonly path: string
  /** In this thread: for what is done in less time than asking another would take. */
  readonly here: Connections
  /**
   * In a thread of its own: for what may take long. One that is in both begins its transactions here while there is no
   * thread: then nobody has called for a while who could be kept waiting, and starting one takes longer than a look.
   */
  readonly background: Connections
}

/** A SQLite file, open in this thread and, when there is much to do, in another. */
export class SqliteFile {
  readonly #here: SqliteConnections
  readonly #background: SqliteBackground
  readonly #inBackground: ReadonlySet<string>
  readonly #inBoth: ReadonlySet<string>
  /** Those in both whose transaction was begun here. */
  readonly #begunHere = new Set<string>()
  #isClosed = false

  constructor({ path, here, background, ...limits }: SqliteFileSetup) {
    this.#here = new SqliteConnections({ path, connections: here })
    this.#background = new SqliteBackground({ path, connections: background }, limits)
    this.#inBackground = new Set(Object.keys(background))
    this.#inBoth = new Set(Object.keys(background).filter((name) => name in here))
  }

  /** Opens the connections. Answers whether the file holds together. */
  open(): boolean {
    return this.#here.open({ isChecked: true })
  }

  /** Whether there is a thread for it now. */
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
