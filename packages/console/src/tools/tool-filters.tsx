import { Button } from '../parts/button.tsx'
import { Chip } from '../parts/chip.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { useText } from '../text/text.ts'
import {
  FLAGS,
  namesIn,
  nextState,
  type ToolFilter,
  type ToolFilterName,
  type ToolFlag,
  withFilter,
} from './tool-filter.ts'

interface Named {
  readonly id: string
  readonly name: string
}

interface ToolFiltersProps {
  readonly typed: string
  readonly onType: (text: string) => void
  readonly filter: ToolFilter
  readonly onFilter: (filter: ToolFilter) => void
  readonly servers: readonly Named[]
  readonly projects: readonly Named[]
}

/** The search field and the filters of the tool list. */
export function ToolFilters({ typed, onType, filter, onFilter, servers, projects }: ToolFiltersProps) {
  const { tools: words, common } = useText()
  const set = (name: ToolFilterName, value: string): void =>
    onFilter(withFilter(filter, name, value === '' ? undefined : value))
  const named = (items: readonly Named[]) => [
    { value: '', label: common.all },
    ...items.map(({ id, name }) => ({ value: id, label: name })),
  ]
  return (
    <search className="flex flex-col gap-3" aria-label={words.find}>
      <div className="grid grid-cols-2 items-end gap-3 lg:grid-cols-[2fr_1fr_1fr_1fr]">
        <TextField
          className="col-span-2 lg:col-span-1"
          label={words.find}
          type="search"
          placeholder={words.findHint}
          value={typed}
          onChange={(event) => onType(event.target.value)}
        />
        <SelectField
          label={words.server}
          value={filter.server ?? ''}
          choices={named(servers)}
          onChoose={(id) => set('server', id)}
        />
        <SelectField
          label={words.project}
          value={filter.project ?? ''}
          choices={named(projects)}
          onChoose={(id) => set('project', id)}
        />
        <SelectField
          className="col-span-2 lg:col-span-1"
          label={words.permission}
          value={filter.allowed ?? ''}
          choices={[
            { value: '', label: words.permissions.all },
            { value: 'true', label: words.permissions.allowed },
            { value: 'false', label: words.permissions.forbidden },
          ]}
          onChoose={(value) => set('allowed', value)}
        />
      </div>
      <div className="flex flex-wrap items-center gap-2" role="group" aria-label={words.filters}>
        {FLAGS.map((flag) => (
          <Chip
            key={flag}
            label={flagWords(words, flag, filter[flag])}
            state={filter[flag]}
            title={words.nextClick[filter[flag] ?? 'off']}
            onToggle={() => set(flag, nextState(filter[flag]) ?? '')}
          />
        ))}
        {namesIn(filter).length > 0 && (
          <Button kind="quiet" size="small" onClick={() => onFilter({})}>
            {words.clear}
          </Button>
        )}
      </div>
    </search>
  )
}

/** The active filters as text. */
export function useFilterWords(
  filter: ToolFilter,
  { servers, projects }: Pick<ToolFiltersProps, 'servers' | 'projects'>,
): readonly { readonly name: ToolFilterName; readonly text: string }[] {
  const { tools: words } = useText()
  const nameIn = (items: readonly Named[], id: string): string => items.find((each) => each.id === id)?.name ?? id
  return namesIn(filter).map((name) => {
    const value = filter[name] ?? ''
    if (name === 'server') return { name, text: `${words.server}: ${nameIn(servers, value)}` }
    if (name === 'project') return { name, text: `${words.project}: ${nameIn(projects, value)}` }
    if (name === 'allowed') return { name, text: words.permissions[value === 'true' ? 'allowed' : 'forbidden'] }
    return { name, text: flagWords(words, name, value) }
  })
}

function flagWords(words: ReturnType<typeof useText>['tools'], flag: ToolFlag, value: string | undefined): string {
  return value === 'false' ? words.not(words.flags[flag]) : words.flags[flag]
}
