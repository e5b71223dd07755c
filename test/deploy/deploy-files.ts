// What the files below deploy/ say, for tests that do the same without a container engine.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/packages.ts'

/** The text of a file below deploy/. */
export const deployFile = (name: string): string => readFileSync(join(ROOT, 'deploy', name), 'utf8')

/** The names of the files below deploy/ that are part of the repository. */
export function deployFiles(): string[] {
  return readdirSync(join(ROOT, 'deploy'), { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [entry.name] : [],
  )
}

/** The instructions of a Dockerfile, with continued lines joined and comments left out. */
export function instructions(text = deployFile('Dockerfile')): (readonly [name: string, rest: string])[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
  return lines.flatMap((line) => {
    const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    return name === undefined || rest === undefined ? [] : [[name, rest] as const]
  })
}

/** The last instruction of a name; empty without one. */
export const lastOf = (name: string): string => instructions().findLast(([each]) => each === name)?.[1] ?? ''

/** The environment of the image. */
export function imageEnvironment(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lastOf('ENV')
      .split(/\s+/)
      .map((pair) => pair.split('=', 2) as [string, string]),
  )
}

/** The command lines of the image, and the init process that `serve` runs under. */
export function imageCommands(): {
  readonly init: readonly string[]
  readonly serve: readonly string[]
  readonly health: readonly string[]
} {
  const list = (text: string): string[] => JSON.parse(text) as string[]
  const entry = list(lastOf('ENTRYPOINT'))
  const own = entry.indexOf('--') + 1
  return {
    init: entry.slice(0, own),
    serve: [...entry.slice(own), ...list(lastOf('CMD'))],
    health: list(/CMD (\[.*\])/.exec(lastOf('HEALTHCHECK'))?.[1] ?? '[]'),
  }
}
