import type { DisclosureSettings, ExposureMode, ResolvedDisclosure } from '../model/settings.ts'

/** What holds where neither endpoint nor project says anything. The threshold depends on the rest: see below. */
const DEFAULTS = {
  exposure: 'auto',
  dialect: 'router',
  strategy: 'hybrid',
  deferLoading: false,
  maxTools: 50,
  selectionOrder: ['server_priority'],
  executeTool: false,
  directCalls: false,
  dropPrefix: false,
  tokenBudget: 10_000,
} as const satisfies Omit<ResolvedDisclosure, 'searchThreshold'>

/** Weak hits are left out where a search adds what it found to a list; elsewhere the reader sees the relevance. */
const LIMITED_THRESHOLD = 0.1

/**
 * Decides every setting: endpoint, then project, then the built-in default. Of exposure and `deferLoading`, which speak
 * of the same thing, the nearer one wins, so that what comes out never contradicts itself: `deferred` is `full` with
 * `deferLoading`.
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
  const said = nearestFirst[deferAt]?.deferLoading
  const isNearer = said !== undefined && deferAt <= exposureAt
  switch (exposure) {
    case 'full':
      return said === true ? { exposure: 'deferred', deferLoading: true } : { exposure, deferLoading: false }
    case 'deferred':
      return isNearer && !said ? { exposure: 'full', deferLoading: false } : { exposure, deferLoading: true }
    case 'auto':
      return isNearer && said ? { exposure: 'deferred', deferLoading: true } : { exposure, deferLoading: false }
    case 'limited':
    case 'search-only':
    case 'meta-tools':
      return { exposure, deferLoading: said ?? DEFAULTS.deferLoading }
  }
}

/** How far away a setting was made: 0 is the nearest, beyond the end is nowhere. */
function distanceOf(nearestFirst: readonly DisclosureSettings[], field: keyof DisclosureSettings): number {
  const index = nearestFirst.findIndex((layer) => layer[field] !== undefined)
  return index < 0 ? nearestFirst.length : index
}

/** Spreading must not let `undefined` win over a farther value. */
function withoutAbsent(settings: DisclosureSettings): DisclosureSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

/** Who says how a setting is. */
type SettingOrigin = 'endpoint' | 'project' | 'default'

/** Every setting as it holds, and who says so. */
type SettingsWithOrigin = {
  readonly [Key in keyof ResolvedDisclosure]: { readonly value: ResolvedDisclosure[Key]; readonly from: SettingOrigin }
}

/** The decided settings with their origins; the decision itself is `resolveSettings`'. */
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
  const own = sayer(key, endpoint, project)
  if (key !== 'exposure' && key !== 'deferLoading') return own
  // These two speak of the same thing, so that one of them may have been decided by the other.
  const said = endpoint[key] ?? project[key]
  const other = sayer(key === 'exposure' ? 'deferLoading' : 'exposure', endpoint, project)
  return said === resolved[key] || (said === undefined && isPlain(key, resolved)) ? own : other
}

function isPlain(key: 'exposure' | 'deferLoading', resolved: ResolvedDisclosure): boolean {
  return resolved[key] === (key === 'exposure' ? 'auto' : false)
}

function sayer(
  key: keyof DisclosureSettings,
  endpoint: DisclosureSettings,
  project: DisclosureSettings,
): SettingOrigin {
  if (endpoint[key] !== undefined) return 'endpoint'
  return project[key] === undefined ? 'default' : 'project'
}
