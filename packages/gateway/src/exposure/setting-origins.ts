import { resolveSettings } from './resolve-settings.ts'
import type { DisclosureSettings, ResolvedDisclosure } from '../model/settings.ts'

/** Who says how a setting is. */
export type SettingOrigin = 'endpoint' | 'project' | 'default'

/** Every setting as it holds, and who says so. */
export type SettingsWithOrigin = {
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
