import { fileURLToPath } from 'node:url'

/** How a server starts; afterwards it misbehaves as the called tool asks. */
export interface EvilSpec {
  readonly startDelayMs?: number
  readonly exitsAtStart?: boolean
  readonly neverInitializes?: boolean
  /** Ignores the end of its input and SIGTERM. */
  readonly isStubborn?: boolean
  /** Its list differs each time. */
  readonly listChanges?: boolean
  /** Its tool `bomb` has this schema of bombs.ts. */
  readonly bomb?: string
  /** What it declares too much of. */
  readonly declares?: 'descriptions' | 'instructions' | 'tools'
  /** Gets a line with its process id at each start. */
  readonly startsFile?: string
}

/** An entry of `mcpServers` for a server that misbehaves on demand. */
export function evilServer(spec: EvilSpec = {}, entry: Readonly<Record<string, unknown>> = {}): object {
  const script = fileURLToPath(new URL('./evil-server.mjs', import.meta.url))
  return { command: process.execPath, args: [script, JSON.stringify(spec)], ...entry }
}
