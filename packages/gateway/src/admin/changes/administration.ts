import { checkConfig, type ConfigProblem, nearest, placeOf } from '@tooldex/contract'
import type { JsonObject } from '@tooldex/http-kit/json'
import { asRecord, mergeConfig } from '../../config/merge-config.ts'
import type { DeclaredConfig } from '../../config/parse-config.ts'
import type { Store } from '../../model/store.ts'
import type { StoredState } from '../../model/stored-state.ts'
import { ConfiguredEntries } from './configured-entries.ts'
import { Draft } from './draft.ts'
import { FieldRefusal, InvalidRequest } from './invalid-request.ts'

/** What deciding needs. */
interface AdministrationParts {
  readonly store: Pick<Store, 'current' | 'change'>
  readonly declared: () => DeclaredConfig
  readonly now: () => number
}

/** Which entry a change is about, as its path in a configuration: problems are told relative to it. */
type Subject = readonly [part: 'mcpServers' | 'projects' | 'endpoints' | 'tokens', id: string]

/**
 * The one owner of changes. Each is worked out on a draft, inside a transaction; the whole configuration that would result,
 * the file's part included, is checked like a file, so that nothing is stored that a file could not say.
 */
export class Administration {
  readonly #parts: AdministrationParts
  #known: { declared: unknown; state: StoredState; entries: ConfiguredEntries } | undefined

  constructor(parts: AdministrationParts) {
    this.#parts = parts
  }

  /** What file and store have now. */
  entries(): ConfiguredEntries {
    const declared = this.#parts.declared()
    const state = this.#parts.store.current()
    const known = this.#known
    if (known !== undefined && known.declared === declared.value && known.state === state) return known.entries
    const entries = new ConfiguredEntries(declared, state)
    this.#known = { declared: declared.value, state, entries }
    return entries
  }

  /**
   * Makes a change, whole or not at all; resolves when it is on disk and in force.
   * @throws InvalidRequest, and what `work` throws
   */
  change<Result>(
    subject: Subject | undefined,
    work: (draft: Draft, entries: ConfiguredEntries) => Result,
  ): Promise<Result> {
    const { store, now } = this.#parts
    return store.change(async (changes) => {
      const declared = this.#parts.declared()
      const draft = new Draft(changes.state, now())
      const result = work(draft, new ConfiguredEntries(declared, changes.state))
      const problems = newProblems(declared.value, changes.state, draft.state)
      if (problems.length > 0) throw new InvalidRequest(problems.map((problem) => relativeTo(subject, problem)))
      await draft.apply(changes)
      return result
    })
  }

  /** What would be wrong if the store had this state; for previews. */
  check(state: StoredState): readonly ConfigProblem[] {
    return newProblems(this.#parts.declared().value, this.#parts.store.current(), state)
  }
}

function relativeTo(subject: Subject | undefined, problem: ConfigProblem): ConfigProblem {
  const [part, id, ...rest] = problem.path
  if (subject === undefined) return problem
  const isServers = part === 'servers' && subject[0] === 'mcpServers'
  if (part !== subject[0] && !isServers) return problem
  // The key of an entry in a configuration is its id in a request; tokens are a list there.
  const isAboutKey = rest.length === 0 && problem.isKey === true
  if (subject[0] === 'tokens' || id === subject[1]) return { ...problem, path: isAboutKey ? ['id'] : rest }
  return problem
}

/** A name that is wanted: what it would name, and the field of the request that says so. */
interface WantedName {
  readonly what: string
  readonly field: 'id' | 'name'
  readonly name: string
}

/**
 * Refuses a name that another entry has, whatever the case.
 * @throws FieldRefusal NAME_TAKEN
 */
export function refuseTaken({ what, field, name }: WantedName, taken: Iterable<string>): void {
  const plain = name.trim().toLowerCase()
  for (const other of taken) {
    if (other.trim().toLowerCase() !== plain) continue
    const reason = `the ${what} ${JSON.stringify(other)} has this name already`
    const details = { name: other, reason, remedy: 'Take another name' }
    throw new FieldRefusal('NAME_TAKEN', details, [{ path: field, message: reason }])
  }
}

/**
 * Refuses names of what does not exist, with the nearest one that does.
 * @throws InvalidRequest
 */
export function refuseUnknown(field: string, what: string, names: readonly string[], known: Iterable<string>): void {
  const all = new Set(known)
  const problems = names.flatMap((name, index) => {
    if (all.has(name)) return []
    const meant = nearest(name, all)
    const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`
    return [{ path: [field, index], message: `there is no ${what} ${JSON.stringify(name)}${hint}` }]
  })
  if (problems.length > 0) throw new InvalidRequest(problems)
}

/**
 * What a change would make wrong: file and store together, checked as if one file said it all. Loose ends that were there
 * before stop nobody.
 */
function newProblems(declared: unknown, before: StoredState, after: StoredState): readonly ConfigProblem[] {
  const problems = checkConfig(asOneFile(declared, after)).problems
  const clashes = mergeConfig(declared, after).problems
  if (problems.length === 0) return clashes
  const known = new Set(checkConfig(asOneFile(declared, before)).problems.map(signOf))
  const fresh = problems.filter((problem) => !known.has(signOf(problem)))
  return fresh.length > 0 ? fresh : clashes
}

/** Tokens are a list, in which others move when one goes. */
function signOf({ path, message }: ConfigProblem): string {
  return `${placeOf(path[0] === 'tokens' ? [...path.slice(0, 1), ...path.slice(2)] : path)} ${message}`
}

function asOneFile(declared: unknown, { servers, projects, endpoints, tokens }: StoredState): JsonObject {
  const top = asRecord(declared)
  const { mcpServers, servers: alias, ...rest } = top
  const clients = tokens.filter(({ kind }) => kind === 'client')
  return {
    ...rest,
    mcpServers: together(mcpServers ?? alias, servers),
    projects: together(top['projects'], projects),
    endpoints: together(top['endpoints'], endpoints),
    tokens: [
      ...(Array.isArray(top['tokens']) ? (top['tokens'] as unknown[]) : []),
      ...clients.map(({ name, hash, readOnly, projects: ofProjects, servers: ofServers }) => ({
        name,
        sha256: hash,
        readOnly,
        ...(ofProjects !== undefined && { projects: ofProjects }),
        ...(ofServers !== undefined && { servers: ofServers }),
      })),
    ],
  }
}

function together(declared: unknown, stored: readonly { readonly id: string; readonly config: object }[]): JsonObject {
  return Object.fromEntries([
    ...Object.entries(asRecord(declared)),
    ...stored.map(({ id, config }) => [id, config] as const),
  ])
}

/** What a removal did. */
export interface Removal {
  readonly removed: string
  /** What could not exist without it. */
  readonly alsoRemoved: string[]
  /** What named it and now does not. */
  readonly narrowed: string[]
}
