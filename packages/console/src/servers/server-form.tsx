import { SelectField, TextAreaField, TextField } from '../parts/field.tsx'
import { useText } from '../text/text.ts'
import type { ServerDraft } from './server-draft.ts'

interface ServerFormProps {
  readonly draft: ServerDraft
  readonly onChange: (draft: ServerDraft) => void
  readonly problemOf: (field: string) => string | undefined
  readonly isNew: boolean
}

/** The fields of a server: transport, command or URL, secrets. */
export function ServerForm({ draft, onChange, problemOf, isNew }: ServerFormProps) {
  const { servers: words } = useText()
  const set = (part: Partial<ServerDraft>): void => onChange({ ...draft, ...part })
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {isNew ? (
        <TextField
          label={words.id}
          hint={words.idHint}
          name="id"
          required
          value={draft.id}
          onChange={(event) => set({ id: event.target.value })}
          problem={problemOf('id')}
        />
      ) : (
        <TextField
          className="sm:col-span-2"
          label={words.shownName}
          value={draft.name}
          placeholder={draft.id}
          onChange={(event) => set({ name: event.target.value })}
          problem={problemOf('name')}
        />
      )}
      {isNew && (
        <SelectField
          label={words.transport}
          value={draft.transport}
          choices={(['stdio', 'http', 'sse'] as const).map((value) => ({ value, label: words.transports[value] }))}
          onChoose={(transport) => set({ transport })}
        />
      )}
      {draft.transport === 'stdio' ? (
        <>
          <TextField
            className="sm:col-span-2"
            label={words.command}
            hint={words.commandHint}
            required
            isCode
            value={draft.command}
            onChange={(event) => set({ command: event.target.value })}
            problem={problemOf('command') ?? problemOf('args')}
          />
          <TextAreaField
            className="sm:col-span-2"
            label={words.environment}
            hint={isNew ? words.environmentHint : words.maskHint}
            rows={3}
            value={draft.env}
            onChange={(event) => set({ env: event.target.value })}
            problem={problemOf('env')}
          />
        </>
      ) : (
        <>
          <TextField
            className="sm:col-span-2"
            label={words.url}
            type="url"
            required
            isCode
            placeholder="https://…/mcp"
            value={draft.url}
            onChange={(event) => set({ url: event.target.value })}
            problem={problemOf('url')}
          />
          <TextAreaField
            className="sm:col-span-2"
            label={words.headers}
            hint={isNew ? words.headersHint : words.maskHint}
            rows={3}
            value={draft.headers}
            onChange={(event) => set({ headers: event.target.value })}
            problem={problemOf('headers')}
          />
        </>
      )}
      <SelectField
        label={words.start}
        value={draft.start}
        choices={(['eager', 'on-demand'] as const).map((value) => ({ value, label: words.starts[value] }))}
        onChoose={(start) => set({ start })}
      />
      {draft.transport === 'stdio' && (
        <SelectField
          label={words.instances}
          value={draft.instances}
          choices={(['auto', 'shared', 'per-client'] as const).map((value) => ({
            value,
            label: words.instanceModes[value],
          }))}
          onChoose={(instances) => set({ instances })}
        />
      )}
    </div>
  )
}
