import { checkConfig, type ConfigProblem, placeOf } from '@tooldex/contract'
import type { StoredState, StoredToken } from '../model/stored-state.ts'
import { clashesOf, type MergedConfig, touchedPart, valueOf } from './merge-config.ts'

/** A change of the store that is not made yet. */
interface PlannedChange {
  readonly declared: unknown
  readonly before: StoredState
  readonly after: StoredState
  /** The merged configuration before the change; undefined while file and store contradict each other. */
  readonly merged: MergedConfig | undefined
}

/**
 * The problems that a change causes: the entries that it touches, and those that refer to them, are checked as if file and
 * store were one file. Problems that existed before do not block a change.
 */
export function problemsOfChange({ declared, before, after, merged }: PlannedChange): readonly ConfigProblem[] {
  const part = merged && touchedPart(merged, after)
  const tokens = after.tokens.changedSince(before.tokens)
  const check = (state: StoredState): readonly ConfigProblem[] => {
    const changed = merged === undefined ? [...state.tokens] : [...tokens].flatMap((id) => state.tokens.get(id) ?? [])
    const { value, valid } = valueOf(declared, state, part)
    const own = Array.isArray(value['tokens']) ? (value['tokens'] as unknown[]) : []
    const clients = changed.filter(({ kind }) => kind === 'client')
    return checkConfig({ ...value, tokens: [...own, ...clients.map(asDeclared)] }, valid).problems
  }
  const problems = check(after)
  const clashes = clashesOf(declared, after)
  if (problems.length === 0) return clashes
  const known = new Set(check(before).map(signatureOf))
  const fresh = problems.filter((problem) => !known.has(signatureOf(problem)))
  return fresh.length > 0 ? fresh : clashes
}

/** Identifies a problem. Tokens are compared without their index, which changes when another token is removed. */
function signatureOf({ path, message }: ConfigProblem): string {
  return `${placeOf(path[0] === 'tokens' ? [...path.slice(0, 1), ...path.slice(2)] : path)} ${message}`
}

function asDeclared({ name, hash, readOnly, projects, servers, tools }: StoredToken): object {
  return {
    name,
    sha256: hash,
    readOnly,
    ...(projects !== undefined && { projects }),
    ...(servers !== undefined && { servers }),
    ...(tools !== undefined && { tools }),
  }
}
