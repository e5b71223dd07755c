import type { EffectiveSettings } from '@tooldex/contract/admin'
import { Badge } from '../parts/badge.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { SETTINGS } from '../projects/disclosure-draft.ts'
import { type Text, useText } from '../text/text.ts'

type Name = (typeof SETTINGS)[number]

/** Every setting as it holds, and who says so. */
export function SettingsInForce({ settings }: { readonly settings: EffectiveSettings }) {
  const { endpoints: words, projects } = useText()
  const columns: readonly Column<Name>[] = [
    { id: 'setting', title: words.setting, cell: (name) => titleOf(name, projects.optimization) },
    {
      id: 'value',
      title: words.value,
      cell: (name) => <span className="font-mono text-[13px]">{shown(settings[name].value, words.off)}</span>,
    },
    {
      id: 'from',
      title: words.from,
      cell: (name) => (
        <Badge tone={settings[name].from === 'endpoint' ? 'accent' : 'neutral'}>
          {projects.from[settings[name].from]}
        </Badge>
      ),
    },
  ]
  return <Table caption={words.inForce} rows={SETTINGS} columns={columns} rowKey={(name) => name} />
}

function titleOf(name: Name, words: Text['projects']['optimization']): string {
  return words[name]
}

function shown(value: EffectiveSettings[Name]['value'], off: string): string {
  if (value === null) return off
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
