import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { useChange } from '../api/change.ts'
import { useApi } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { hasOtherProblems, problemOfField } from '../parts/problem-of-field.ts'
import { ProblemNote } from '../parts/states.tsx'
import { useText } from '../text/text.ts'

/** Makes an endpoint for a project. */
export function CreateEndpointDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const { endpoints: words, common } = useText()
  const formId = useId()
  const navigate = useNavigate()
  const projects = useApi('listProjects', {}, { enabled: open }).data?.items ?? []
  const [id, setId] = useState('')
  const [project, setProject] = useState('default')
  const create = useChange('createEndpoint', {
    tellsProblems: false,
    done: (made) => words.created(made.id),
    onDone: (made) => {
      close()
      void navigate({ to: '/endpoints/$endpoint', params: { endpoint: made.id } })
    },
  })
  const close = (): void => {
    onClose()
    setId('')
    create.reset()
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title={words.create}
      actions={
        <>
          <Button onClick={close}>{common.cancel}</Button>
          <Button kind="primary" type="submit" form={formId} busy={create.isPending}>
            {words.create}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate({ body: { id: id.trim(), project } })
        }}
      >
        <TextField
          label={words.id}
          hint={words.idHint}
          required
          value={id}
          onChange={(event) => setId(event.target.value)}
          problem={problemOfField(create.error)('id')}
        />
        <SelectField
          label={words.project}
          value={project}
          choices={projects.map((each) => ({ value: each.id, label: each.name }))}
          onChoose={setProject}
        />
        {create.error !== null && hasOtherProblems(create.error, ['id']) && <ProblemNote problem={create.error} />}
      </form>
    </Dialog>
  )
}
