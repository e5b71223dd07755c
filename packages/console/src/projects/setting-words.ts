import type { EffectiveSettings } from '@tooldex/contract/admin'
import { type Text, useText } from '../text/text.ts'
import { SETTINGS } from './disclosure-draft.ts'

/** The name in a label: “Automatic” in `Automatic: list all if small`. */
export function nameIn(label: string): string {
  return label.split(':', 1)[0] ?? label
}

/** The name of a choice; a choice without a label keeps its stored name. */
export function choiceName(labels: Readonly<Record<string, string>>, choice: string): string {
  return Object.hasOwn(labels, choice) ? nameIn(labels[choice] ?? choice) : choice
}

/** The value of a setting as text. */
export function settingWords<Name extends keyof EffectiveSettings>(
  name: Name,
  value: EffectiveSettings[Name]['value'],
  { projects, common }: Text,
): string {
  const words = projects.optimization
  if (value === null) return projects.off
  if (typeof value === 'boolean') return value ? common.yes : common.no
  if (typeof value === 'number') return value.toLocaleString()
  if (Array.isArray(value)) return value.map((order) => choiceName(words.selectionOrders, order)).join(', ')
  return choiceName(
    {
      exposure: words.exposures,
      dialect: words.dialects,
      strategy: words.strategies,
      hiddenCharacters: words.hiddenChoices,
    }[String(name)] ?? {},
    String(value),
  )
}

/** Names and values of settings, for a field that was changed in two places. */
export function useConflictWords() {
  const text = useText()
  const { projects } = text
  const settingIn = (field: string): keyof EffectiveSettings | undefined => SETTINGS.find((name) => name === field)
  return {
    nameOf:
      (others: Readonly<Record<string, string>>) =>
      (field: string): string => {
        const setting = settingIn(field)
        return setting === undefined ? (others[field] ?? field) : projects.optimization[setting]
      },
    wordsOf: (field: string, value: unknown): string | undefined => {
      const setting = settingIn(field)
      if (setting === undefined) return undefined
      if (value === undefined) return projects.optimization.inherited
      return settingWords(setting, value as EffectiveSettings[typeof setting]['value'], text)
    },
  }
}
