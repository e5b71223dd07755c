import type { EffectiveSettings } from '@tooldex/contract/admin'
import { Badge } from '../parts/badge.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { SETTINGS } from '../projects/disclosure-draft.ts'
import { settingWords } from '../projects/setting-words.ts'
import { useText } from '../text/text.ts'

type Name = (typeof SETTINGS)[number]

/** Every setting as it holds, and who says so. */
export function SettingsInForce({ settings }: { readonly settings: EffectiveSettings }) {
  const text = useText()
  const { endpoints: words, projects } = text
  const columns: readonly Column<Name>[] = [
    { id: 'setting', title: words.setting, cell: (name) => projects.optimization[name] },
    { id: 'value', title: words.value, cell: (name) => settingWords(name, settings[name].value, text) },
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
