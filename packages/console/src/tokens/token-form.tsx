import { ADMIN_ROLES } from '@tooldex/contract/admin'
import { useApi } from '../api/queries.ts'
import { Checklist } from '../parts/checklist.tsx'
import { SelectField, TextAreaField, TextField } from '../parts/field.tsx'
import { Switch } from '../parts/switch.tsx'
import { useText } from '../text/text.ts'
import type { TokenDraft } from './token-draft.ts'

interface TokenFormProps {
  readonly draft: TokenDraft
  readonly onChange: (draft: TokenDraft) => void
  /** The gateway's message about a field. */
  readonly problemOf: (field: string) => string | undefined
  readonly isNew: boolean
}

/** The fields of a token: name, type, role, scopes and expiry. */
export function TokenForm({ draft, onChange, problemOf, isNew }: TokenFormProps) {
  const { tokens: words, common } = useText()
  const projects = useApi('listProjects', {}).data?.items ?? []
  const servers = useApi('listServers', {}).data?.items ?? []
  const set = (part: Partial<TokenDraft>): void => onChange({ ...draft, ...part })
  return (
    <div className="flex flex-col gap-5">
      <TextField
        label={words.name}
        hint={words.nameHint}
        required
        value={draft.name}
        onChange={(event) => set({ name: event.target.value })}
        problem={problemOf('name')}
      />
      {isNew && (
        <SelectField
          label={words.kind}
          hint={words.kindHint[draft.kind]}
          value={draft.kind}
          choices={(['client', 'admin'] as const).map((value) => ({ value, label: words.kinds[value] }))}
          onChoose={(kind) => set({ kind })}
        />
      )}
      {draft.kind === 'admin' && (
        <SelectField
          label={common.role}
          hint={common.roleHints[draft.role]}
          value={draft.role}
          choices={ADMIN_ROLES.map((value) => ({ value, label: common.roles[value] }))}
          onChoose={(role) => set({ role })}
          problem={problemOf('role')}
        />
      )}
      {draft.kind === 'client' && (
        <>
          <ScopeField
            label={words.projects}
            all={words.allProjects}
            some={words.someProjects}
            choices={projects.map(({ id, name }) => ({ value: id, label: name }))}
            chosen={draft.projects}
            problem={problemOf('projects')}
            onChange={(chosen) => set({ projects: chosen })}
          />
          <ScopeField
            label={words.servers}
            all={words.allServers}
            some={words.someServers}
            choices={servers.map(({ id, name }) => ({ value: id, label: name }))}
            chosen={draft.servers}
            problem={problemOf('servers')}
            onChange={(chosen) => set({ servers: chosen })}
          />
          <SelectField
            label={words.tools}
            value={draft.tools === undefined ? 'all' : 'some'}
            choices={[
              { value: 'all', label: words.allTools },
              { value: 'some', label: words.someTools },
            ]}
            onChoose={(which) => set({ tools: which === 'all' ? undefined : '' })}
          />
          {draft.tools !== undefined && (
            <TextAreaField
              label={words.someTools}
              hint={words.someToolsHint}
              rows={4}
              value={draft.tools}
              onChange={(event) => set({ tools: event.target.value })}
              problem={problemOf('tools')}
            />
          )}
          <Switch
            label={words.readOnly}
            hint={words.readOnlyHint}
            checked={draft.readOnly}
            onChange={(readOnly) => set({ readOnly })}
          />
        </>
      )}
      <TextField
        label={words.expires}
        hint={words.expiresHint}
        type="datetime-local"
        value={draft.expires}
        onChange={(event) => set({ expires: event.target.value })}
        problem={problemOf('expiresAt')}
      />
    </div>
  )
}

interface ScopeFieldProps {
  readonly label: string
  readonly all: string
  readonly some: string
  readonly choices: readonly { readonly value: string; readonly label: string }[]
  readonly chosen: readonly string[] | undefined
  readonly problem: string | undefined
  readonly onChange: (chosen: readonly string[] | undefined) => void
}

function ScopeField({ label, all, some, choices, chosen, problem, onChange }: ScopeFieldProps) {
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        label={label}
        value={chosen === undefined ? 'all' : 'some'}
        choices={[
          { value: 'all', label: all },
          { value: 'some', label: some },
        ]}
        onChoose={(which) => onChange(which === 'all' ? undefined : [])}
        problem={problem}
      />
      {chosen !== undefined && <Checklist label={some} choices={choices} chosen={chosen} onChange={onChange} />}
    </div>
  )
}
