import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { useApi } from '../api/queries.ts'
import { SelectField, TextField } from '../parts/field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { useText } from '../text/text.ts'

/** Makes an endpoint for a project. */
export function CreateEndpointDialog({ onClose }: { readonly onClose: () => void }) {
  const { endpoints: words } = useText()
  const navigate = useNavigate()
  const projects = useApi('listProjects', {}).data?.items ?? []
  const [id, setId] = useState('')
  const { project: asked = 'default' } = useSearch({ strict: false })
  const [project, setProject] = useState(asked)
  const create = useChange('createEndpoint', {
    tellsProblems: false,
    done: (made) => words.created(made.id),
    onDone: (made) => void navigate({ to: '/endpoints/$endpoint', params: { endpoint: made.id }, replace: true }),
  })
  return (
    <FormDialog
      title={words.create}
      onClose={onClose}
      change={create}
      fields={['id', 'project']}
      onSubmit={() => create.mutate({ body: { id: id.trim(), project } })}
    >
      {(problemOf) => (
        <>
          <TextField
            label={words.id}
            hint={words.idHint}
            required
            isCode
            value={id}
            onChange={(event) => setId(event.target.value)}
            problem={problemOf('id')}
          />
          <SelectField
            label={words.project}
            value={project}
            choices={projects.map((each) => ({ value: each.id, label: each.name }))}
            onChoose={setProject}
            problem={problemOf('project')}
          />
        </>
      )}
    </FormDialog>
  )
}
