/** One process writes, any number read. Which one writes is for the caller to decide. */
export type LanceRole = 'writer' | 'reader'

/** Where a catalog is kept and by whom it is used. */
export interface LanceOptions {
  /** A folder, or the URL of an object store (`s3://`, `gs://`, `az://`). */
  readonly at: string
  readonly role: LanceRole
  /** Names the catalog: a folder that has another one is refused. */
  readonly catalog: string
  /** The embedder whose vectors the tools have; absent where they have none. */
  readonly model?: { readonly id: string; readonly dimensions: number }
  /** Starts anew, whatever is stored there. For the writer, after `INVALID_STORED_CATALOG`. */
  readonly rebuild?: boolean
  /** Reads every row and makes the indexes anew, so that what is damaged is found or gone. For the writer, after failures. */
  readonly repair?: boolean
  /** Credentials and settings of an object store, as LanceDB names them. */
  readonly storage?: Readonly<Record<string, string>>
}
