import type { StatementAnswer } from './sqlite-connections.ts'

/** What the thread is asked. */
export type ThreadRequest = { readonly id: number } & (
  | { readonly kind: 'open' | 'close' }
  | { readonly kind: 'run'; readonly connection: string; readonly sql: string; readonly parameters: readonly unknown[] }
)

/** What it answers. */
export interface ThreadAnswer extends StatementAnswer {
  readonly id: number
  readonly error?: {
    readonly code?: string | undefined
    readonly errcode?: number | undefined
    readonly message: string
  }
}
