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

/** Other gateways' names for the same settings; saving under our names replaces them. */
const ALIASES = {
  project: [
    'optimization',
    'maxToolsLimit',
    'toolSelectionOrder',
    'default_defer_loading',
    'default_search_method',
    'default_tool_visibility',
  ],
  endpoint: [
    'optimization',
    'maxToolsLimit',
    'toolSelectionOrder',
    'override_defer_loading',
    'override_search_method',
    'override_tool_visibility',
  ],
} as const

/** The settings that are set here, without the inherited ones. */
export function draftOf(settings: EffectiveSettings, here: 'project' | 'endpoint'): DisclosureDraft {
  const set = SETTINGS.filter((name) => settings[name].from === here)
  return Object.fromEntries(set.map((name) => [name, settings[name].value])) as DisclosureDraft
}

/** The change that stores the draft. It unsets every setting that the draft leaves out. */
export function disclosurePatch(
  draft: DisclosureDraft,
  config: Readonly<Record<string, unknown>>,
  here: 'project' | 'endpoint',
) {
  const lifted = [...SETTINGS.filter((name) => draft[name] === undefined), ...ALIASES[here]]
  const unset = lifted.filter((name) => config[name] !== undefined)
  return { ...draft, ...(unset.length > 0 && { unset }) } as DisclosureDraft & { unset?: string[] }
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

/** The strategy that the toggle turns on. */
export const DEFAULT_STRATEGY: NonNullable<AdminProject['optimization']> = 'hybrid'
