import type { AdminProject } from '@tooldex/contract/admin'
import { useId, useState } from 'react'
import { useChange } from '../api/change.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { FileNote } from '../parts/file-badge.tsx'
import { hasOtherProblems, problemOfField } from '../parts/problem-of-field.ts'
import { ProblemNote } from '../parts/states.tsx'
import { useText } from '../text/text.ts'
import { disclosurePatch, draftOf } from './disclosure-draft.ts'
import { DisclosureForm } from './disclosure-form.tsx'
import { DisclosurePreview } from './disclosure-preview.tsx'

/** What the gear of a project opens: its name and Context Optimization, with what agents would see before it is saved. */
export function ProjectSettingsDialog({
  project,
  open,
  onClose,
}: {
  readonly project: AdminProject
  readonly open: boolean
  readonly onClose: () => void
}) {
  const { projects: words, common } = useText()
  const formId = useId()
  const [name, setName] = useState(project.name)
  const [draft, setDraft] = useState(() => draftOf(project.settings, 'project'))
  const change = useChange('changeProject', {
    tellsProblems: false,
    done: (saved) => words.saved(saved.name),
    onDone: onClose,
  })
  const disclosure = disclosurePatch(draft, project.config, 'project')
  const isFixed = project.managedBy === 'file'
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={words.settingsOf(project.name)}
      size="large"
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit" form={formId} busy={change.isPending} disabled={isFixed}>
            {common.save}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate({ params: { project: project.id }, body: { ...disclosure, name }, ifMatch: project.revision })
        }}
      >
        <FileNote entry={project} />
        <TextField
          label={words.name}
          hint={words.nameHint}
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
          problem={problemOfField(change.error)('name')}
        />
        <fieldset className="flex flex-col gap-4" disabled={isFixed}>
          <legend className="mb-3 text-sm font-semibold">{words.optimization.title}</legend>
          <DisclosureForm here="project" draft={draft} inherited={project.settings} onChange={setDraft} />
        </fieldset>
        {change.error !== null && hasOtherProblems(change.error, ['name']) && <ProblemNote problem={change.error} />}
        <DisclosurePreview project={project.id} asked={{ project: disclosure }} />
      </form>
    </Dialog>
  )
}
