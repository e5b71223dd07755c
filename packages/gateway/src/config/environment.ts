import { homedir } from 'node:os'

/** What the program was started with. Read once, here and nowhere else. */
export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
}

/** The environment of this process, as it is now. */
export function readEnvironment(): Environment {
  return Object.freeze({ variables: Object.freeze({ ...process.env }), cwd: process.cwd(), home: homedir() })
}
