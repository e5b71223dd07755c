import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import { type ConfigProblem, nearest } from '@tooldex/contract'
import { problemsOfChange } from '../../config/check-change.ts'
import { type MergedConfig, mergeConfig } from '../../config/merge-config.ts'
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
  /** The configuration in force, which the first change is merged with: a whole merge of many entries takes a while. */
  readonly inForce?: (() => MergedConfig) | undefined
  readonly now: () => number
}

/** The entry that a change is about, as its path in a configuration; the paths of problems are relative to it. */
type Subject = readonly [part: 'mcpServers' | 'projects' | 'endpoints' | 'tokens', id: string]

/**
 * Makes all changes of the stored configuration. A change is made on a draft inside a transaction; the entries that it
 * touches are checked like those of a file before the draft is written.
 */
export class Administration {
  readonly #parts: AdministrationParts
  readonly #made = new AsyncLocalStorage<AuditedChange[]>()
  #known: { declared: unknown; state: StoredState; entries: ConfiguredEntries } | undefined
  #merged: MergedConfig | undefined

  constructor(parts: AdministrationParts) {
    this.#parts = parts
  }

  /** The current entries of file and store. */
  entries(): ConfiguredEntries {
    const declared = this.#parts.declared()
    const state = this.#parts.store.current()
    const known = this.#known
    if (known !== undefined && known.declared === declared.value && known.state === state) return known.entries
    const merged = this.merged(state)
    this.#merged = merged
    const entries = new ConfiguredEntries(declared, state, merged)
    this.#known = { declared: declared.value, state, entries }
    return entries
  }

  /** File and a state of the store as one configuration; undefined while they contradict each other. */
  merged(state: StoredState): MergedConfig | undefined {
    const declared = this.#parts.declared().value
    const inForce = this.#parts.inForce?.()
    if (inForce?.stored === state && inForce.declared === declared) return inForce
    return mergeConfig(declared, state, this.#merged ?? inForce).merged
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
      const merged = this.merged(changes.state)
      // The next change is merged with this one.
      this.#merged = merged
      const result = work(draft, new ConfiguredEntries(declared, changes.state, merged))
      const plan = { declared: declared.value, before: changes.state, after: draft.state, merged }
      const problems = problemsOfChange(plan)
      if (problems.length > 0) throw new InvalidRequest(problems.map((problem) => relativeTo(subject, problem)))
      refuseUnprovenPrograms(changes.state.servers, draft.state.servers, caller)
      await draft.apply(changes)
      made = changesBetween(changes.state, draft.state)
      return result
    })
    this.#made.getStore()?.push(...made)
    // The change was taken over in this turn; what answers it has one of its own.
    await setImmediate()
    return result
  }

  /** Runs a task and collects the changes that it makes, apart from those of other tasks at the same time. */
  noting<Result>(changes: AuditedChange[], task: () => Result): Result {
    return this.#made.run(changes, task)
  }

  /** The problems that a state of the store would cause; for previews. */
  check(state: StoredState): readonly ConfigProblem[] {
    const before = this.#parts.store.current()
    const declared = this.#parts.declared().value
    return problemsOfChange({ declared, before, after: state, merged: this.merged(before) })
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
  if (names.length === 0) return
  const all = new Set(known)
  const problems = names.flatMap((name, index) => {
    if (all.has(name)) return []
    const meant = nearest(name, all)
    const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`
    return [{ path: [field, index], message: `there is no ${what} ${JSON.stringify(name)}${hint}` }]
  })
  if (problems.length > 0) throw new InvalidRequest(problems)
}

/** The effects of a removal. */
export interface Removal {
  readonly removed: string
  /** Dependent entries that were removed as well. */
  readonly alsoRemoved: string[]
  /** Entries that lost their reference to it. */
  readonly narrowed: string[]
}
