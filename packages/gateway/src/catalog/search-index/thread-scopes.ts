import { type IndexedTool, ToolScope } from '@tooldex/search'
import { LRUCache } from 'lru-cache'
import { serverOfSearched } from './indexed-tools.ts'
import { allowedByRule, type RuleCheck, type ToolRule, traitsOf } from '@tooldex/search/engine'

/** At most so much is kept of a scope beside its rule and a byte for each tool: facts of the words that were asked for. */
const FACTS_BYTES = 256 * 1024
const POINTER_BYTES = 8

/** The rules that searches are narrowed by, by name. Those used least recently are forgotten, with what was derived from them. */
export class ThreadScopes {
  readonly #tools: ReadonlyMap<string, IndexedTool>
  readonly #known: LRUCache<string, RuleScope>
  /** Rules name the same servers and tools: each name is kept once. */
  readonly #names = new Map<string, string>()

  constructor(tools: ReadonlyMap<string, IndexedTool>, mostBytes: number) {
    this.#tools = tools
    const sizeCalculation = ({ ruleBytes }: RuleScope): number => ruleBytes + tools.size + FACTS_BYTES
    this.#known = new LRUCache({ maxSize: mostBytes, sizeCalculation })
  }

  /** The scope of this name, or of the rule; undefined where neither is known. */
  scopeOf(name: string, rule: ToolRule | undefined): RuleScope | undefined {
    const known = this.#known.get(name)
    if (known !== undefined || rule === undefined) return known
    const { servers, only, except } = rule
    const scope = new RuleScope(this.#tools, {
      ...rule,
      servers: servers === 'all' ? servers : this.#kept(servers),
      except: this.#kept(except),
      ...(only !== undefined && { only: this.#kept(only) }),
    })
    this.#known.set(name, scope)
    return scope
  }

  #kept(names: readonly string[]): readonly string[] {
    if (this.#names.size > MOST_NAMES) this.#names.clear()
    return names.map((name) => {
      const known = this.#names.get(name)
      if (known === undefined) this.#names.set(name, name)
      return known ?? name
    })
  }
}

const MOST_NAMES = 200_000

/** The tools that a rule allows, without a copy of their ids: an index derives a bitmap from it. */
class RuleScope extends ToolScope {
  readonly rule: ToolRule
  readonly #tools: ReadonlyMap<string, IndexedTool>
  #check: WeakRef<RuleCheck> | undefined

  constructor(tools: ReadonlyMap<string, IndexedTool>, rule: ToolRule) {
    super([])
    this.#tools = tools
    this.rule = rule
  }

  get ruleBytes(): number {
    const { servers, only = [], except } = this.rule
    return POINTER_BYTES * (servers.length + only.length + except.length)
  }

  override get size(): number {
    return [...this.ids()].length
  }

  override has(id: string): boolean {
    return this.#allows(id, this.#checked())
  }

  override *ids(): Iterable<string> {
    const isAllowed = this.#checked()
    for (const id of this.rule.only ?? this.#tools.keys()) if (this.#allows(id, isAllowed)) yield id
  }

  #allows(id: string, isAllowed: RuleCheck): boolean {
    const tool = this.#tools.get(id)
    return tool !== undefined && isAllowed({ id, server: serverOfSearched(id), traits: traitsOf(tool) })
  }

  /** Kept for the search at hand: its sets take more than the rule. */
  #checked(): RuleCheck {
    const known = this.#check?.deref()
    if (known !== undefined) return known
    const check = allowedByRule(this.rule)
    this.#check = new WeakRef(check)
    return check
  }
}
