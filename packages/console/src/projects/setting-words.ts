import type { EffectiveSettings } from '@tooldex/contract/admin'
import type { Text } from '../text/text.ts'

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
    { exposure: words.exposures, dialect: words.dialects, strategy: words.strategies }[String(name)] ?? {},
    String(value),
  )
}
