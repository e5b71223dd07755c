import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { useApi } from '../api/queries.ts'
import { ChecklistField } from '../parts/checklist.tsx'
import { TextField } from '../parts/field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { useText } from '../text/text.ts'

/** Makes a project of some servers. */
export function CreateProjectDialog({ onClose }: { readonly onClose: () => void }) {
  const { projects: words } = useText()
  const navigate = useNavigate()
  const servers = useApi('listServers', {}).data?.items ?? []
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const create = useChange('createProject', {
    tellsProblems: false,
    done: (made) => words.created(made.name),
    onDone: (made) => void navigate({ to: '/projects/$project', params: { project: made.id }, replace: true }),
  })
  return (
    <FormDialog
      title={words.create}
      onClose={onClose}
      change={create}
      fields={['name']}
      onSubmit={() => create.mutate({ body: { name, servers: [...chosen] } })}
    >
      {(problemOf) => (
        <>
          <TextField
            label={words.name}
            hint={words.nameHint}
            required
            value={name}
            onChange={(event) => setName(event.target.value)}
            problem={problemOf('name')}
          />
          {servers.length > 0 && (
            <ChecklistField
              label={words.servers}
              choices={servers.map((server) => ({ value: server.id, label: server.name }))}
              chosen={chosen}
              onChange={setChosen}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}
