import { useApi } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { useText } from '../text/text.ts'
import type { AuditFilter } from './audit-filter.ts'

/** Narrows the entries; every choice is in the address. */
export function AuditFilters({
  filter,
  onChange,
}: {
  readonly filter: AuditFilter
  readonly onChange: (filter: AuditFilter) => void
}) {
  const { audit: words, common } = useText()
  const tokens = useApi('listTokens', {}).data?.items ?? []
  const projects = useApi('listProjects', {}).data?.items ?? []
  const servers = useApi('listServers', {}).data?.items ?? []
  const set = (name: keyof AuditFilter, value: string): void => {
    const { [name]: _before, ...rest } = filter
    onChange(value === '' ? rest : { ...rest, [name]: value })
  }
  const all = { value: '', label: common.all }
  /** An address may ask for what was removed, or has no entry. */
  const gone = (id: string | undefined, items: readonly { id: string }[]) =>
    id === undefined || items.some((item) => item.id === id) ? [] : [{ value: id, label: id }]
  const choice = (
    name: 'token' | 'project' | 'server',
    label: string,
    items: readonly { id: string; name: string }[],
  ) => (
    <SelectField
      label={label}
      value={filter[name] ?? ''}
      choices={[all, ...items.map((item) => ({ value: item.id, label: item.name })), ...gone(filter[name], items)]}
      onChoose={(value) => set(name, value)}
    />
  )
  return (
    <search
      aria-label={words.filters}
      className="grid grid-cols-2 items-end gap-3 sm:grid-cols-3 lg:grid-cols-5 2xl:grid-cols-9"
    >
      <SelectField
        label={words.kind}
        value={filter.kind ?? ''}
        choices={[all, { value: 'search', label: words.kinds.search }, { value: 'call', label: words.kinds.call }]}
        onChoose={(value) => set('kind', value)}
      />
      <SelectField
        label={words.outcome}
        value={filter.outcome ?? ''}
        choices={[
          { value: '', label: words.outcomes.all },
          { value: 'ok', label: words.outcomes.ok },
          { value: 'error', label: words.outcomes.error },
        ]}
        onChoose={(value) => set('outcome', value)}
      />
      {choice('token', words.who, tokens)}
      {choice('project', words.project, projects)}
      {choice('server', words.server, servers)}
      <TextField
        label={words.tool}
        placeholder="server:tool"
        value={filter.tool ?? ''}
        onChange={(event) => set('tool', event.target.value)}
      />
      <TextField
        label={words.from}
        type="datetime-local"
        value={filter.from ?? ''}
        onChange={(event) => set('from', event.target.value)}
      />
      <TextField
        label={words.until}
        type="datetime-local"
        value={filter.until ?? ''}
        onChange={(event) => set('until', event.target.value)}
      />
      {Object.keys(filter).length > 0 && (
        <Button kind="quiet" onClick={() => onChange({})}>
          {words.clear}
        </Button>
      )}
    </search>
  )
}
