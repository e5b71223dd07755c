import type { DisclosureSettings, ExposureMode, ResolvedDisclosure } from '../model/settings.ts'

/** The defaults. The default of `searchThreshold` depends on the other settings, see below. */
const DEFAULTS = {
  exposure: 'auto',
  dialect: 'router',
  strategy: 'hybrid',
  deferLoading: false,
  maxTools: 50,
  selectionOrder: ['server_priority'],
  executeTool: false,
  executeVariants: false,
  directCalls: false,
  dropPrefix: false,
  learning: true,
  tokenBudget: 10_000,
  resultBudget: 'auto',
  hiddenCharacters: 'leave',
  resultRemarks: false,
} as const satisfies Omit<ResolvedDisclosure, 'searchThreshold'>

/** Weak hits are left out where a search adds its results to the list. */
const LIMITED_THRESHOLD = 0.1

/**
 * Resolves every setting: endpoint, then project, then the default. `exposure` and `deferLoading` overlap (`deferred` is
 * `full` with `deferLoading`), so the nearer one wins and the result is consistent.
 */
export function resolveSettings(endpoint: DisclosureSettings, project: DisclosureSettings): ResolvedDisclosure {
  const nearestFirst = [endpoint, project]
  const nearest = withoutAbsent({ ...withoutAbsent(project), ...withoutAbsent(endpoint) })
  const merged = { ...DEFAULTS, ...nearest, ...resolveDeferring(nearestFirst) }
  const isMcproxy = merged.exposure === 'limited' || merged.dialect === 'mcproxy'
  return { searchThreshold: isMcproxy ? LIMITED_THRESHOLD : 0, ...merged }
}

function resolveDeferring(nearestFirst: readonly DisclosureSettings[]): {
  readonly exposure: ExposureMode
  readonly deferLoading: boolean
} {
  const exposureAt = distanceOf(nearestFirst, 'exposure')
  const deferAt = distanceOf(nearestFirst, 'deferLoading')
  const exposure = nearestFirst[exposureAt]?.exposure ?? DEFAULTS.exposure
  const defer = nearestFirst[deferAt]?.deferLoading
  const isNearer = defer !== undefined && deferAt <= exposureAt
  switch (exposure) {
    case 'full':
      return defer === true ? { exposure: 'deferred', deferLoading: true } : { exposure, deferLoading: false }
    case 'deferred':
      return isNearer && !defer ? { exposure: 'full', deferLoading: false } : { exposure, deferLoading: true }
    case 'auto':
      return isNearer && defer ? { exposure: 'deferred', deferLoading: true } : { exposure, deferLoading: false }
    case 'limited':
    case 'search-only':
    case 'meta-tools':
      return { exposure, deferLoading: defer ?? DEFAULTS.deferLoading }
  }
}

/** The index of the nearest layer that has a setting; the number of layers if none has it. */
function distanceOf(nearestFirst: readonly DisclosureSettings[], field: keyof DisclosureSettings): number {
  const index = nearestFirst.findIndex((layer) => layer[field] !== undefined)
  return index < 0 ? nearestFirst.length : index
}

/** Removes `undefined` values, which would overwrite values of farther layers. */
function withoutAbsent(settings: DisclosureSettings): DisclosureSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

/** The origin of a setting. */
type SettingOrigin = 'endpoint' | 'project' | 'default'

/** Every effective setting with its origin. */
type SettingsWithOrigin = {
  readonly [Key in keyof ResolvedDisclosure]: { readonly value: ResolvedDisclosure[Key]; readonly from: SettingOrigin }
}

/** The settings of `resolveSettings` with their origins. */
export function settingsWithOrigin(endpoint: DisclosureSettings, project: DisclosureSettings): SettingsWithOrigin {
  const resolved = resolveSettings(endpoint, project)
  const keys = Object.keys(resolved) as (keyof ResolvedDisclosure)[]
  const entries = keys.map((key) => [key, { value: resolved[key], from: originOf(key, resolved, endpoint, project) }])
  return Object.fromEntries(entries) as unknown as SettingsWithOrigin
}

function originOf(
  key: keyof ResolvedDisclosure,
  resolved: ResolvedDisclosure,
  endpoint: DisclosureSettings,
  project: DisclosureSettings,
): SettingOrigin {
  const own = layerOf(key, endpoint, project)
  if (key !== 'exposure' && key !== 'deferLoading') return own
  // These two overlap, so one may have been decided by the other.
  const configured = endpoint[key] ?? project[key]
  const other = layerOf(key === 'exposure' ? 'deferLoading' : 'exposure', endpoint, project)
  return configured === resolved[key] || (configured === undefined && isDefault(key, resolved)) ? own : other
}

function isDefault(key: 'exposure' | 'deferLoading', resolved: ResolvedDisclosure): boolean {
  return resolved[key] === (key === 'exposure' ? 'auto' : false)
}

function layerOf(
  key: keyof DisclosureSettings,
  endpoint: DisclosureSettings,
  project: DisclosureSettings,
): SettingOrigin {
  if (endpoint[key] !== undefined) return 'endpoint'
  return project[key] === undefined ? 'default' : 'project'
}
