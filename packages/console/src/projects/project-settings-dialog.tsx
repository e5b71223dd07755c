import type { AdminProject } from '@tooldex/contract/admin'
import { useState } from 'react'
import { useChange } from '../parts/use-change.ts'
import { SelectField, TextField } from '../parts/field.tsx'
import { FileNote } from '../parts/badge.tsx'
import { FormDialog } from '../parts/change-form.tsx'
import { useText } from '../text/text.ts'
import { disclosurePatch, draftOf, SETTINGS } from './disclosure-draft.ts'
import { DisclosureForm } from './disclosure-form.tsx'
import { DisclosurePreview } from './disclosure-preview.tsx'

/** The settings of a project: name and Context Optimization, with a preview of what agents would see. */
export function ProjectSettingsDialog({
  project,
  onClose,
}: {
  readonly project: AdminProject
  readonly onClose: () => void
}) {
  const { projects: words, common } = useText()
  const [name, setName] = useState(project.name)
  const [draft, setDraft] = useState(() => draftOf(project.settings, 'project'))
  const [allow, setAllow] = useState(project.config.allow ?? 'all')
  // As it was when the dialog opened; undo restores this.
  const [before] = useState(project)
  const params = { project: project.id }
  const takeBack = useChange('changeProject', { done: () => common.saved })
  const change = useChange('changeProject', {
    problemToast: false,
    done: () => common.saved,
    undo:
      ({ config, revision }) =>
      () => {
        const shown = disclosurePatch(draftOf(before.settings, 'project'), config, 'project')
        const body = { ...withAllow(shown, before.config.allow, config.allow), name: before.name }
        takeBack.mutate({ params, body, ifMatch: revision })
      },
    onDone: onClose,
  })
  const disclosure = disclosurePatch(draft, project.config, 'project')
  const isFixed = project.managedBy === 'file'
  const save = (): void =>
    change.mutate({
      params,
      body: { ...withAllow(disclosure, allow, project.config.allow ?? 'all'), name },
      ifMatch: project.revision,
    })
  return (
    <FormDialog
      title={words.settingsOf(project.name)}
      size="large"
      submit={common.save}
      isFixed={isFixed}
      onClose={onClose}
      change={change}
      fields={['name', 'allow', ...SETTINGS]}
      onSubmit={save}
    >
      {(problemOf) => (
        <>
          <FileNote entry={project} />
          <TextField
            label={words.name}
            hint={words.nameHint}
            required
            disabled={isFixed}
            value={name}
            onChange={(event) => setName(event.target.value)}
            problem={problemOf('name')}
          />
          <SelectField
            label={words.allow}
            hint={words.allowHint[allow]}
            disabled={isFixed}
            value={allow}
            choices={(['all', 'only'] as const).map((value) => ({ value, label: words.allowMode[value] }))}
            onChoose={setAllow}
            problem={problemOf('allow')}
          />
          <fieldset className="flex flex-col gap-4" disabled={isFixed}>
            <legend className="mb-3 text-sm font-semibold">{words.optimization.title}</legend>
            <DisclosureForm
              here="project"
              draft={draft}
              inherited={project.settings}
              onChange={setDraft}
              problemOf={problemOf}
            />
          </fieldset>
          <DisclosurePreview project={project.id} asked={{ project: disclosure }} />
        </>
      )}
    </FormDialog>
  )
}

type Allow = AdminProject['config']['allow']

/** Adds whether the project is an allow-list, if that changes. */
function withAllow<Patch extends { readonly unset?: string[] }>(patch: Patch, allow: Allow, before: Allow) {
  if (allow === before) return patch
  return allow === undefined ? { ...patch, unset: [...(patch.unset ?? []), 'allow'] } : { ...patch, allow }
}
