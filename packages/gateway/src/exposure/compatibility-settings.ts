/**
 * Settings as MCP Router, MCProxy and MetaMCP name them, translated when the configuration is read. The gateway itself uses
 * `DisclosureSettings` only. docs/explain/exposure.md has the complete table.
 */
import { GatewayError } from '../errors.ts'
import type { DisclosureSettings, SelectionOrder, StrategySetting } from '../model/settings.ts'

/** Settings of MCP Router and MCProxy, valid in projects and endpoints. */
interface SharedNames {
  /** MCP Router: the strategy, or null for no tool search. */
  readonly optimization?: StrategySetting
  /** MCProxy. */
  readonly maxToolsLimit?: number
  /** The gateway's setting has the same name, so it does not imply `limited`. */
  readonly searchThreshold?: number
  readonly toolSelectionOrder?: readonly SelectionOrder[]
}

/** MCProxy's tool search: the entry of `middleware.proxy` with the type `tool_search`. */
export interface McproxyToolSearch {
  readonly enabled: boolean
  readonly config: Pick<SharedNames, 'maxToolsLimit' | 'searchThreshold' | 'toolSelectionOrder'>
}

/** Settings of a project. */
export interface CompatibilityProjectSettings extends SharedNames {
  /** MetaMCP. */
  readonly default_defer_loading?: boolean
  readonly default_search_method?: MetaMcpSearchMethod
  readonly default_tool_visibility?: MetaMcpVisibility
}

/** Settings of an endpoint. */
export interface CompatibilityEndpointSettings extends SharedNames {
  /** MetaMCP. */
  readonly override_defer_loading?: MetaMcpDeferLoading
  readonly override_search_method?: MetaMcpSearchMethod | 'INHERIT'
  readonly override_tool_visibility?: MetaMcpVisibility | 'INHERIT' | null
}

/** MetaMCP's `defer_loading` of an endpoint or a tool. */
export type MetaMcpDeferLoading = 'INHERIT' | 'ENABLED' | 'DISABLED'
/** MetaMCP's search method. */
export type MetaMcpSearchMethod = 'NONE' | 'REGEX' | 'BM25' | 'EMBEDDINGS'
/** MetaMCP's tool visibility. */
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
 * Translates the settings of a project. Any MetaMCP setting makes it a MetaMCP project: missing settings then have MetaMCP's
 * defaults (not deferred, no search, everything visible).
 * @throws GatewayError CONFIG_INVALID that names the field
 */
export function translateProject(settings: CompatibilityProjectSettings): DisclosureSettings {
  const { default_defer_loading: defer, default_search_method: method, default_tool_visibility: visibility } = settings
  const isMetaMcp = defer !== undefined || method !== undefined || visibility !== undefined
  const shared = fromShared(settings, isMetaMcp)
  if (!isMetaMcp) return shared
  refuseSecondStrategy(settings, 'default_search_method', method)
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

/** Translates MCProxy's tool search into the settings of a project; without it, all tools are listed. */
export function translateToolSearch({ enabled, config }: McproxyToolSearch): DisclosureSettings {
  return { ...fromShared(config, false), exposure: enabled ? 'limited' : 'full', dialect: 'mcproxy' }
}

/**
 * Translates the overrides of an endpoint; inherited settings are absent.
 * @throws GatewayError CONFIG_INVALID that names the field
 */
export function translateEndpoint(settings: CompatibilityEndpointSettings): DisclosureSettings {
  refuseSecondStrategy(settings, 'override_search_method', settings.override_search_method)
  const {
    override_defer_loading: defer,
    override_search_method: method,
    override_tool_visibility: visibility,
  } = settings
  return {
    ...fromShared(settings, defer !== undefined || method !== undefined || visibility !== undefined),
    ...translated('deferLoading', 'override_defer_loading', settings.override_defer_loading, DEFER),
    ...translated('strategy', 'override_search_method', settings.override_search_method, METHOD),
    ...translated('exposure', 'override_tool_visibility', settings.override_tool_visibility, VISIBILITY),
  }
}

/**
 * Translates the `defer_loading` of a tool; `undefined` where it inherits.
 * @throws GatewayError CONFIG_INVALID
 */
export function translateToolDefer(value: MetaMcpDeferLoading | undefined): boolean | undefined {
  return translated('deferLoading', 'defer_loading', value, DEFER).deferLoading
}

/** @param isMetaMcp whether there are settings of MetaMCP beside them: `optimization` then chooses the strategy and nothing else */
function fromShared(settings: SharedNames, isMetaMcp: boolean): DisclosureSettings {
  const { optimization, maxToolsLimit, searchThreshold, toolSelectionOrder } = settings
  const isRouter = optimization !== undefined && optimization !== null && !isMetaMcp
  const isLimited = maxToolsLimit !== undefined || toolSelectionOrder !== undefined
  return {
    // Without a strategy hidden tools could not be found, so such a Router project lists all tools.
    ...(isRouter && { exposure: 'meta-tools', dialect: 'router' }),
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
  values: ReadonlyMap<unknown, DisclosureSettings[Setting] | typeof INHERIT>,
): Pick<DisclosureSettings, Setting> {
  if (value === undefined) return {} as Pick<DisclosureSettings, Setting>
  if (!values.has(value)) throw unknownValue(field, values)
  const meaning = values.get(value)
  return (meaning === INHERIT ? {} : { [setting]: meaning }) as Pick<DisclosureSettings, Setting>
}

function refuseSecondStrategy(settings: SharedNames, field: string, method: unknown): void {
  if (settings.optimization === undefined || method === undefined || method === 'INHERIT') return
  throw new GatewayError('CONFIG_INVALID', {
    field,
    reason: `optimization and ${field} both choose the search strategy`,
    remedy: 'Keep one of them',
  })
}

function unknownValue(field: string, values: ReadonlyMap<unknown, unknown>): GatewayError {
  const known = Array.from(values.keys(), (value) => (typeof value === 'string' ? value : 'null'))
  return new GatewayError('CONFIG_INVALID', {
    field,
    reason: `${field} has an unknown value`,
    remedy: `Use one of ${known.join(', ')}`,
  })
}
