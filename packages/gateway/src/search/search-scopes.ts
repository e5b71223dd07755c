import { ToolScope } from '@tooldex/search'
import type { EligibleTools } from '../access/eligible-tools.ts'
import { searchedId } from '../catalog/described-tools.ts'

/** Which entries of the index a caller searches: the eligible tools, each in the words that its project has for it. */
export class SearchScopes {
  readonly #known = new WeakMap<EligibleTools, ToolScope>()

  scopeOf(eligible: EligibleTools): ToolScope {
    const known = this.#known.get(eligible)
    if (known !== undefined) return known
    const scope = makeScope(eligible)
    this.#known.set(eligible, scope)
    return scope
  }
}

function makeScope({ project, list, scope }: EligibleTools): ToolScope {
  const hasOwnWords = list.some(({ key }) => project.tools.get(key)?.description !== undefined)
  if (!hasOwnWords) return scope
  return new ToolScope(list.map(({ key }) => searchedId(key, project.tools.get(key)?.description)))
}
