/** What the thread is told when it begins: a file, and connections with their pragmas by name. */
export interface ThreadSetup {
  readonly path: string
  readonly connections: Readonly<Record<string, readonly string[]>>
  /** What the thread may take before it is ended. */
  readonly memoryMb?: number
}

/** What the thread is asked. */
export type ThreadRequest = { readonly id: number } & (
  | { readonly kind: 'open' | 'close' }
  | { readonly kind: 'run'; readonly connection: string; readonly sql: string; readonly parameters: readonly unknown[] }
)

/** What it answers. */
export interface ThreadAnswer {
  readonly id: number
  readonly rows: readonly unknown[]
  readonly changes?: number
  readonly error?: {
    readonly code?: string | undefined
    readonly errcode?: number | undefined
    readonly message: string
  }
}
