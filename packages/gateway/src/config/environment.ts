import { homedir } from 'node:os'

/** The environment of the process. Only this file reads it. */
export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  /** The operating system (default: linux). */
  readonly platform?: NodeJS.Platform
}

/** Takes a snapshot of the environment. */
export function readEnvironment(): Environment {
  const variables = Object.freeze({ ...process.env })
  return Object.freeze({ variables, cwd: process.cwd(), home: homedir(), platform: process.platform })
}
