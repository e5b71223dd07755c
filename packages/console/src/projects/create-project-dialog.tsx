import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { useChange } from '../api/change.ts'
import { useApi } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { Checklist } from '../parts/checklist.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { hasOtherProblems, problemOfField } from '../parts/problem-of-field.ts'
import { ProblemNote } from '../parts/states.tsx'
import { useText } from '../text/text.ts'

/** Makes a project of some servers. */
export function CreateProjectDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const { projects: words, common } = useText()
  const formId = useId()
  const navigate = useNavigate()
  const servers = useApi('listServers', {}, { enabled: open }).data?.items ?? []
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const create = useChange('createProject', {
    tellsProblems: false,
    done: (made) => words.created(made.name),
    onDone: (made) => {
      close()
      void navigate({ to: '/projects/$project', params: { project: made.id } })
    },
  })
  const close = (): void => {
    onClose()
    setName('')
    setChosen([])
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
          create.mutate({ body: { name, servers: [...chosen] } })
        }}
      >
        <TextField
          label={words.name}
          hint={words.nameHint}
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
          problem={problemOfField(create.error)('name')}
        />
        {servers.length > 0 && (
          <div className="flex flex-col gap-1.5">
            <span className="text-[13px] font-medium">{words.servers}</span>
            <Checklist
              label={words.servers}
              choices={servers.map((server) => ({ value: server.id, label: server.name }))}
              chosen={chosen}
              onChange={setChosen}
            />
          </div>
        )}
        {create.error !== null && hasOtherProblems(create.error, ['name']) && <ProblemNote problem={create.error} />}
      </form>
    </Dialog>
  )
}
