import type { EffectiveSettings } from '@tooldex/contract/admin'
import type { Text } from '../text/text.ts'

/** `Automatic: all while it is cheap` is called “Automatic”. */
export function nameIn(label: string): string {
  return label.split(':', 1)[0] ?? label
}

/** What a choice is called, wherever it is shown; one that we have no words for is called as it is written. */
export function choiceName(labels: Readonly<Record<string, string>>, choice: string): string {
  return Object.hasOwn(labels, choice) ? nameIn(labels[choice] ?? choice) : choice
}

/** The value of a setting in words. */
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
    { exposure: words.exposures, dialect: words.dialects, strategy: words.strategies }[String(name)] ?? {},
    String(value),
  )
}
