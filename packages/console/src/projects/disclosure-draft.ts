import type { AdminProject, EffectiveSettings } from '@tooldex/contract/admin'

/** Settings that a form may set. An absent one is inherited. */
export type DisclosureDraft = { readonly [Key in keyof EffectiveSettings]?: EffectiveSettings[Key]['value'] }

/** The names of all settings. */
export const SETTINGS = [
  'exposure',
  'dialect',
  'strategy',
  'deferLoading',
  'maxTools',
  'searchThreshold',
  'selectionOrder',
  'executeTool',
  'executeVariants',
  'directCalls',
  'dropPrefix',
  'learning',
  'tokenBudget',
  'resultBudget',
  'hiddenCharacters',
  'resultRemarks',
] as const satisfies readonly (keyof EffectiveSettings)[]

/** The strategies of tool search. */
export const STRATEGIES = ['hybrid', 'bm25', 'embeddings', 'lexical', 'regex', 'cloud'] as const

/** Other gateways' names for the same settings. The gateway replaces them when the setting is set under our name. */
const ALIASES: Readonly<Partial<Record<keyof EffectiveSettings, readonly string[]>>> = {
  strategy: ['optimization', 'default_search_method', 'override_search_method'],
  maxTools: ['maxToolsLimit'],
  selectionOrder: ['toolSelectionOrder'],
  deferLoading: ['default_defer_loading', 'override_defer_loading'],
  exposure: ['default_tool_visibility', 'override_tool_visibility'],
}

/** The settings that are set here, without the inherited ones. */
export function draftOf(settings: EffectiveSettings, here: 'project' | 'endpoint'): DisclosureDraft {
  const set = SETTINGS.filter((name) => settings[name].from === here)
  return Object.fromEntries(set.map((name) => [name, settings[name].value])) as DisclosureDraft
}

/** The change that stores the draft. It unsets every setting that the draft leaves out, under all its names. */
export function disclosurePatch(draft: DisclosureDraft, config: Readonly<Record<string, unknown>>) {
  const lifted = SETTINGS.filter((name) => draft[name] === undefined)
  const unset = lifted.flatMap((name) => [name, ...(ALIASES[name] ?? [])]).filter((name) => config[name] !== undefined)
  const set = SETTINGS.filter((name) => draft[name] !== undefined).map((name) => [name, draft[name]])
  return { ...Object.fromEntries(set), ...(unset.length > 0 && { unset }) } as DisclosureDraft & { unset?: string[] }
}

/** The draft with one setting replaced, or removed if the value is undefined. */
export function withSetting<Key extends keyof DisclosureDraft>(
  draft: DisclosureDraft,
  key: Key,
  value: DisclosureDraft[Key] | undefined,
): DisclosureDraft {
  const { [key]: _before, ...rest } = draft
  return (value === undefined ? rest : { ...rest, [key]: value }) as DisclosureDraft
}

/** The effective value of a setting: from the draft, else inherited. */
export function effectiveValue<Key extends keyof EffectiveSettings>(
  draft: DisclosureDraft,
  inherited: EffectiveSettings,
  key: Key,
): EffectiveSettings[Key]['value'] {
  const value = draft[key]
  return (value === undefined ? inherited[key].value : value) as EffectiveSettings[Key]['value']
}

type Strategy = NonNullable<AdminProject['optimization']>

const DEFAULT_STRATEGY: Strategy = 'hybrid'
const MEMORY = 'tooldex.strategy.'

/** Keeps the strategy of a project or an endpoint whose search is turned off, for the day when it is turned on again. */
export function rememberStrategy(of: string, strategy: Strategy): void {
  try {
    localStorage.setItem(MEMORY + of, strategy)
  } catch {
    // Turning it on then brings the default.
  }
}

/** The strategy that the toggle turns on: the one from before, else the default. */
export function rememberedStrategy(of: string): Strategy {
  try {
    return STRATEGIES.find((name) => name === localStorage.getItem(MEMORY + of)) ?? DEFAULT_STRATEGY
  } catch {
    return DEFAULT_STRATEGY
  }
}
