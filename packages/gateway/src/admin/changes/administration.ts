import { AsyncLocalStorage } from 'node:async_hooks'
import { checkConfig, type ConfigProblem, nearest, placeOf } from '@tooldex/contract'
import type { JsonObject } from '@tooldex/http-kit/json'
import { asRecord, mergeConfig } from '../../config/merge-config.ts'
import type { DeclaredConfig } from '../../config/parse-config.ts'
import type { AuditedChange } from '../../model/audit.ts'
import type { Store } from '../../model/store.ts'
import type { StoredState } from '../../model/stored-state.ts'
import type { AdminCaller } from '../access/admin-caller.ts'
import { refuseUnprovenPrograms } from '../access/fresh-proof.ts'
import { ConfiguredEntries } from './configured-entries.ts'
import { Draft } from './draft.ts'
import { FieldRefusal, InvalidRequest } from './invalid-request.ts'
import { changesBetween } from './state-diff.ts'

/** The dependencies of {@link Administration}. */
interface AdministrationParts {
  readonly store: Pick<Store, 'current' | 'change'>
  readonly declared: () => DeclaredConfig
  readonly now: () => number
}

/** The entry that a change is about, as its path in a configuration; the paths of problems are relative to it. */
type Subject = readonly [part: 'mcpServers' | 'projects' | 'endpoints' | 'tokens', id: string]

/**
 * Makes all changes of the stored configuration. A change is made on a draft inside a transaction; the configuration that
 * results, entries of the file included, is checked like a file before the draft is written.
 */
export class Administration {
  readonly #parts: AdministrationParts
  readonly #made = new AsyncLocalStorage<AuditedChange[]>()
  #known: { declared: unknown; state: StoredState; entries: ConfiguredEntries } | undefined

  constructor(parts: AdministrationParts) {
    this.#parts = parts
  }

  /** The current entries of file and store. */
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
   * Makes a change atomically; resolves when it is on disk and in force. A change that makes other programs run on this
   * machine needs a caller with a fresh proof.
   * @throws InvalidRequest, GatewayError FRESH_PROOF_REQUIRED, and any error of `work`
   */
  async change<Result>(
    subject: Subject | undefined,
    work: (draft: Draft, entries: ConfiguredEntries) => Result,
    caller?: AdminCaller,
  ): Promise<Result> {
    const { store, now } = this.#parts
    let made: readonly AuditedChange[] = []
    const result = await store.change(async (changes) => {
      const declared = this.#parts.declared()
      const draft = new Draft(changes.state, now())
      const result = work(draft, new ConfiguredEntries(declared, changes.state))
      const problems = newProblems(declared.value, changes.state, draft.state)
      if (problems.length > 0) throw new InvalidRequest(problems.map((problem) => relativeTo(subject, problem)))
      refuseUnprovenPrograms(changes.state.servers, draft.state.servers, caller)
      await draft.apply(changes)
      made = changesBetween(changes.state, draft.state)
      return result
    })
    this.#made.getStore()?.push(...made)
    return result
  }

  /** Runs a task and collects the changes that it makes, apart from those of other tasks at the same time. */
  noting<Result>(changes: AuditedChange[], task: () => Result): Result {
    return this.#made.run(changes, task)
  }

  /** The problems that a state of the store would cause; for previews. */
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

/** A requested name: the kind of entry, and the field of the request that has it. */
interface WantedName {
  readonly what: string
  readonly field: 'id' | 'name'
  readonly name: string
}

/**
 * Refuses a name that another entry has, ignoring case.
 * @throws FieldRefusal NAME_TAKEN
 */
export function refuseTaken({ what, field, name }: WantedName, taken: Iterable<string>): void {
  const plain = name.trim().toLowerCase()
  for (const other of taken) {
    if (other.trim().toLowerCase() !== plain) continue
    const reason = `the ${what} ${JSON.stringify(other)} already has this name`
    const details = { name: other, reason, remedy: 'Choose another name' }
    throw new FieldRefusal('NAME_TAKEN', details, [{ path: field, message: reason }])
  }
}

/**
 * Refuses names of entries that do not exist, and suggests the nearest existing one.
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
 * The problems that a change causes: file and store are checked as if they were one file. Problems that existed before
 * do not block a change.
 */
function newProblems(declared: unknown, before: StoredState, after: StoredState): readonly ConfigProblem[] {
  const problems = checkConfig(asOneFile(declared, after)).problems
  const clashes = mergeConfig(declared, after).problems
  if (problems.length === 0) return clashes
  const known = new Set(checkConfig(asOneFile(declared, before)).problems.map(signatureOf))
  const fresh = problems.filter((problem) => !known.has(signatureOf(problem)))
  return fresh.length > 0 ? fresh : clashes
}

/** Identifies a problem. Tokens are compared without their index, which changes when another token is removed. */
function signatureOf({ path, message }: ConfigProblem): string {
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
      ...clients.map(({ name, hash, readOnly, projects: ofProjects, servers: ofServers, tools }) => ({
        name,
        sha256: hash,
        readOnly,
        ...(ofProjects !== undefined && { projects: ofProjects }),
        ...(ofServers !== undefined && { servers: ofServers }),
        ...(tools !== undefined && { tools }),
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

/** The effects of a removal. */
export interface Removal {
  readonly removed: string
  /** Dependent entries that were removed as well. */
  readonly alsoRemoved: string[]
  /** Entries that lost their reference to it. */
  readonly narrowed: string[]
}
