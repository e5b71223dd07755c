import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FileFormat } from './parse-file.ts'
import { effectiveServer } from './imported-server.ts'
import type { Note, ReadServer } from './read-server.ts'
import { type ReadFile, readServers } from './read-servers.ts'

/** Facts that are told to the user and are not part of the expected answers. */
const BESIDE = new Set(['unknown-key', 'no-counterpart'])

interface Expected {
  readonly variables: {
    readonly home: string
    readonly workspaceFolder: string
    readonly env: Readonly<Record<string, string>>
  }
  readonly files: readonly ExpectedFile[]
}

interface ExpectedFile {
  readonly file: string
  readonly client: string
  readonly scope: string
  readonly format: FileFormat
  readonly with?: readonly string[]
  readonly servers: readonly Readonly<Record<string, unknown>>[]
  readonly report: readonly Note[]
}

// The second folder has the samples that releases are measured with; it is not part of the repository.
const folders = ['samples', '../../../../../shared/clients/fixtures']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .filter((folder) => existsSync(join(folder, 'expected.json')))
const cases = folders.flatMap((folder) => {
  const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Expected
  return expected.files.map((file) => ({ folder, file, ...expected.variables }))
})

describe('readServers', () => {
  it.each(cases)('[U2] reads $file.client, $file.file: every server, nothing dropped silently', (each) => {
    const { folder, file, home, workspaceFolder, env } = each
    const readFile = (path: string): string | undefined => textOf(join(folder, basename(path)))
    const sources = { variables: env, home, readFile }
    const isUser = file.scope.startsWith('user')
    const read = readServers({
      text: textOf(join(folder, file.file)) ?? '',
      client: file.client,
      scope: isUser ? 'user' : file.scope === 'extension' ? 'extension' : 'project',
      name: file.file,
      ...(file.format === 'json' && file.client === 'continue' && { format: 'json' }),
      surroundings: { home, folder, ...(!isUser && { workspaceFolder }) },
      sources,
      beside: (name) =>
        (file.with ?? [])
          .map((other) => join(folder, other))
          .map(textOf)
          .find(() => name !== ''),
    })
    expect(shown(read, sources)).toEqual(inOrder(file))
  })
})

function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').replace(/(?<=^[\w-]+)\n$/, '') : undefined
}

function shown({ servers, notes }: ReadFile, sources: Parameters<typeof effectiveServer>[1]): unknown {
  return {
    servers: servers.map((server) => shownServer(server, sources)),
    report: sorted(notes),
  }
}

function shownServer(server: ReadServer, sources: Parameters<typeof effectiveServer>[1]): unknown {
  const { name, enabled, timeoutMs, startupTimeoutMs, tools, scope, project, notes } = server
  return withoutUndefined({
    name,
    ...effectiveServer(server, sources),
    enabled,
    timeoutMs,
    startupTimeoutMs,
    tools,
    scope,
    project,
    report: sorted(notes.filter(({ code }) => !BESIDE.has(code))),
  })
}

function inOrder({ servers, report }: ExpectedFile): unknown {
  const ordered = servers.map((server) => ({ ...server, report: sorted(server['report'] as readonly Note[]) }))
  return { servers: ordered, report: sorted(report) }
}

function sorted(notes: readonly Note[]): readonly Note[] {
  return notes.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined))
}
