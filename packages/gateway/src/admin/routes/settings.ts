import { createHash } from 'node:crypto'
import type { AdminSettings, SettingsPatch } from '@tooldex/contract/admin'
import { TRUST_SETTING } from '../../config/merge-config.ts'
import { TRUST_MODES, type TrustMode } from '../../model/pins.ts'
import type { StoredState } from '../../model/stored-state.ts'
import type { Administration } from '../changes/administration.ts'
import { refuseOutdated } from '../changes/draft.ts'

/** How long audit entries are kept, and how many of them. */
export interface AuditLimits {
  readonly keepDays: number
  readonly maxEntries: number
}

const KEEP_DAYS = 'auditKeepDays'
const MAX_ENTRIES = 'auditMaxEntries'

/** The limits in force: those set through the API, else those of the file. */
export function auditLimitsOf({ settings }: Pick<StoredState, 'settings'>, ofFile: AuditLimits): AuditLimits {
  return {
    keepDays: positive(settings.get(KEEP_DAYS)) ?? ofFile.keepDays,
    maxEntries: positive(settings.get(MAX_ENTRIES)) ?? ofFile.maxEntries,
  }
}

/** The settings as the API shows them. */
export function settingsAnswer(
  state: Pick<StoredState, 'settings'>,
  ofFile: AuditLimits,
  fileTrust: unknown,
): AdminSettings {
  const { keepDays, maxEntries } = auditLimitsOf(state, ofFile)
  const from = (name: string) => (positive(state.settings.get(name)) === undefined ? 'file' : 'store')
  const trust = state.settings.get(TRUST_SETTING)
  return {
    settings: {
      auditKeepDays: keepDays,
      auditMaxEntries: maxEntries,
      trust: trustMode(trust) ?? trustMode(fileTrust) ?? 'standard',
    },
    from: {
      auditKeepDays: from(KEEP_DAYS),
      auditMaxEntries: from(MAX_ENTRIES),
      trust: trustMode(trust) === undefined ? 'file' : 'store',
    },
    revision: settingsRevision(state),
  }
}

/** Changes with every change of the stored settings. */
function settingsRevision({ settings }: Pick<StoredState, 'settings'>): string {
  const values = [KEEP_DAYS, MAX_ENTRIES, TRUST_SETTING].map((name) => settings.get(name) ?? null)
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 12)
}

function trustMode(value: unknown): TrustMode | undefined {
  return TRUST_MODES.find((mode) => mode === value)
}

/** Sets the given settings; unset ones fall back to the file. */
export function changeSettings(
  { unset = [], ...given }: SettingsPatch,
  administration: Administration,
  revision?: string,
): Promise<void> {
  return administration.change(undefined, (draft) => {
    if (revision !== undefined && revision !== '*') refuseOutdated(revision, settingsRevision(draft.state))
    for (const name of unset) draft.putSetting(name, undefined)
    for (const [name, value] of Object.entries(given)) if (value !== undefined) draft.putSetting(name, value)
  })
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined
}
