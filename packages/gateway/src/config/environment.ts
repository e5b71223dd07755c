import { homedir } from 'node:os'

/** The environment of the process. Only this file reads it. */
export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
}

/** Takes a snapshot of the environment. */
export function readEnvironment(): Environment {
  return Object.freeze({ variables: Object.freeze({ ...process.env }), cwd: process.cwd(), home: homedir() })
}
