/**
 * Settings in the words of the systems that people come from, translated at the border. Inside the gateway only
 * `DisclosureSettings` exist. The whole table is in docs/explain/exposure.md.
 */
import { GatewayError } from '../errors.ts'
import type { DisclosureSettings, SelectionOrder, StrategySetting } from '../model/settings.ts'

/** MCP Router's and MCProxy's names, which may stand in a project or an endpoint. */
interface SharedNames {
  /** MCP Router: the strategy, or null for no tool search. */
  readonly optimization?: StrategySetting
  /** MCProxy. */
  readonly maxToolsLimit?: number
  /** Ours has the same name, so that it alone does not make a list limited. */
  readonly searchThreshold?: number
  readonly toolSelectionOrder?: readonly SelectionOrder[]
}

/** What a project may be configured with. */
export interface CompatibilityProjectSettings extends SharedNames {
  /** MetaMCP. */
  readonly default_defer_loading?: boolean
  readonly default_search_method?: MetaMcpSearchMethod
  readonly default_tool_visibility?: MetaMcpVisibility
}

/** What an endpoint may be configured with. */
export interface CompatibilityEndpointSettings extends SharedNames {
  /** MetaMCP. */
  readonly override_defer_loading?: MetaMcpDeferLoading
  readonly override_search_method?: MetaMcpSearchMethod | 'INHERIT'
  readonly override_tool_visibility?: MetaMcpVisibility | 'INHERIT' | null
}

/** MetaMCP's word on deferring, of an endpoint or a tool. */
export type MetaMcpDeferLoading = 'INHERIT' | 'ENABLED' | 'DISABLED'
/** MetaMCP's word for a strategy. */
export type MetaMcpSearchMethod = 'NONE' | 'REGEX' | 'BM25' | 'EMBEDDINGS'
/** MetaMCP's word for what is listed. */
export type MetaMcpVisibility = 'ALL' | 'SEARCH_ONLY'

const INHERIT = Symbol('inherit')

const DEFER = new Map<unknown, boolean | typeof INHERIT>([
  ['INHERIT', INHERIT],
  ['ENABLED', true],
  ['DISABLED', false],
])
const METHOD = new Map<unknown, StrategySetting | typeof INHERIT>([
  ['INHERIT', INHERIT],
  ['NONE', null],
  ['REGEX', 'regex'],
  ['BM25', 'bm25'],
  ['EMBEDDINGS', 'embeddings'],
])
const VISIBILITY = new Map<unknown, 'full' | 'search-only' | typeof INHERIT>([
  ['INHERIT', INHERIT],
  [null, INHERIT],
  ['ALL', 'full'],
  ['SEARCH_ONLY', 'search-only'],
])

/**
 * A project's settings. One of MetaMCP's names makes it a MetaMCP project: what it leaves out has MetaMCP's default
 * (not deferred, no search, everything visible), not ours.
 * @throws GatewayError CONFIG_INVALID that names the field
 */
export function translateProject(seed: CompatibilityProjectSettings): DisclosureSettings {
  const shared = fromShared(seed)
  const { default_defer_loading: defer, default_search_method: method, default_tool_visibility: visibility } = seed
  if (defer === undefined && method === undefined && visibility === undefined) return shared
  refuseSecondStrategy(seed, 'default_search_method', method)
  return {
    dialect: 'metamcp',
    exposure: 'full',
    strategy: null,
    deferLoading: defer ?? false,
    ...shared,
    ...translated('strategy', 'default_search_method', method, METHOD),
    ...translated('exposure', 'default_tool_visibility', visibility, VISIBILITY),
  }
}

/**
 * An endpoint's overrides; whatever inherits is absent.
 * @throws GatewayError CONFIG_INVALID that names the field
 */
export function translateEndpoint(seed: CompatibilityEndpointSettings): DisclosureSettings {
  refuseSecondStrategy(seed, 'override_search_method', seed.override_search_method)
  return {
    ...fromShared(seed),
    ...translated('deferLoading', 'override_defer_loading', seed.override_defer_loading, DEFER),
    ...translated('strategy', 'override_search_method', seed.override_search_method, METHOD),
    ...translated('exposure', 'override_tool_visibility', seed.override_tool_visibility, VISIBILITY),
  }
}

/**
 * A tool's own word on deferring; absent where it inherits.
 * @throws GatewayError CONFIG_INVALID
 */
export function translateToolDefer(value: MetaMcpDeferLoading | undefined): boolean | undefined {
  return translated('deferLoading', 'defer_loading', value, DEFER).deferLoading
}

function fromShared(seed: SharedNames): DisclosureSettings {
  const { optimization, maxToolsLimit, searchThreshold, toolSelectionOrder } = seed
  const isLimited = maxToolsLimit !== undefined || toolSelectionOrder !== undefined
  return {
    // With tool search off nothing could be found, so that a Router project without a strategy is not narrowed.
    ...(optimization !== undefined && optimization !== null && { exposure: 'meta-tools', dialect: 'router' }),
    ...(isLimited && { exposure: 'limited', dialect: 'mcproxy' }),
    ...(optimization !== undefined && { strategy: optimization }),
    ...(maxToolsLimit !== undefined && { maxTools: maxToolsLimit }),
    ...(searchThreshold !== undefined && { searchThreshold }),
    ...(toolSelectionOrder !== undefined && { selectionOrder: toolSelectionOrder }),
  }
}

type Translatable = 'deferLoading' | 'strategy' | 'exposure'

function translated<Setting extends Translatable>(
  setting: Setting,
  field: string,
  value: unknown,
  words: ReadonlyMap<unknown, DisclosureSettings[Setting] | typeof INHERIT>,
): Pick<DisclosureSettings, Setting> {
  if (value === undefined) return {} as Pick<DisclosureSettings, Setting>
  if (!words.has(value)) throw unknownValue(field, words)
  const meaning = words.get(value)
  return (meaning === INHERIT ? {} : { [setting]: meaning }) as Pick<DisclosureSettings, Setting>
}

function refuseSecondStrategy(seed: SharedNames, field: string, method: unknown): void {
  if (seed.optimization === undefined || method === undefined || method === 'INHERIT') return
  throw new GatewayError('CONFIG_INVALID', {
    field,
    reason: `optimization and ${field} both choose the search strategy`,
    remedy: 'Keep one of them',
  })
}

function unknownValue(field: string, words: ReadonlyMap<unknown, unknown>): GatewayError {
  const known = Array.from(words.keys(), (word) => (typeof word === 'string' ? word : 'null'))
  return new GatewayError('CONFIG_INVALID', {
    field,
    reason: `${field} has a value that is not known`,
    remedy: `Use one of ${known.join(', ')}`,
  })
}
