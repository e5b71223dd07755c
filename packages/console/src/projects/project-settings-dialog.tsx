import type { AdminProject } from '@tooldex/contract/admin'
import { FileNote } from '../parts/badge.tsx'
import { editing, FormDialog } from '../parts/forms/change-form.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { useEditForm } from '../parts/forms/use-edit-form.ts'
import { useText } from '../text/text.ts'
import { type DisclosureDraft, disclosurePatch, draftOf, SETTINGS } from './disclosure-draft.ts'
import { DisclosureForm } from './disclosure-form.tsx'
import { DisclosurePreview } from './disclosure-preview.tsx'
import { useConflictWords } from './setting-words.ts'

interface ProjectDraft extends DisclosureDraft {
  readonly name: string
  readonly allow: 'all' | 'only'
}

/** The settings of a project: name and Context Optimization, with a preview of what agents would see. */
export function ProjectSettingsDialog({
  project,
  onClose,
}: {
  readonly project: AdminProject
  readonly onClose: () => void
}) {
  const { projects: words, common } = useText()
  const conflictWords = useConflictWords()
  const form = useEditForm('changeProject', {
    entry: project,
    draftOf: draftOfProject,
    patchOf: ({ name, allow, ...disclosure }, { config }) => ({
      name,
      ...disclosureOf(allow, disclosure, config),
    }),
    at: { params: { project: project.id } },
    entryIn: (answer) => answer,
    canUndo: true,
    onDone: onClose,
  })
  const { draft } = form
  const isFixed = project.managedBy === 'file'
  return (
    <FormDialog
      title={words.settingsOf(project.name)}
      size="large"
      submit={common.save}
      isFixed={isFixed}
      onClose={onClose}
      fields={['name', 'allow', ...SETTINGS]}
      {...editing(form, conflictWords.nameOf({ name: words.name, allow: words.allow }), conflictWords.wordsOf)}
    >
      {(problemOf) => (
        <>
          <FileNote entry={project} />
          <TextField
            label={words.name}
            hint={words.nameHint}
            required
            disabled={isFixed}
            value={draft.name}
            onChange={(event) => form.set({ name: event.target.value })}
            problem={problemOf('name')}
          />
          <SelectField
            label={words.allow}
            hint={words.allowHint[draft.allow]}
            disabled={isFixed}
            value={draft.allow}
            choices={(['all', 'only'] as const).map((value) => ({ value, label: words.allowMode[value] }))}
            onChoose={(allow) => form.set({ allow })}
            problem={problemOf('allow')}
          />
          <fieldset className="flex flex-col gap-4" disabled={isFixed}>
            <legend className="mb-3 text-sm font-semibold">{words.optimization.title}</legend>
            <DisclosureForm
              here="project"
              id={project.id}
              draft={draft}
              inherited={project.settings}
              onChange={(disclosure) => form.replace({ ...disclosure, name: draft.name, allow: draft.allow })}
              problemOf={problemOf}
            />
          </fieldset>
          <DisclosurePreview project={project.id} asked={{ project: disclosurePatch(draft, project.config) }} />
        </>
      )}
    </FormDialog>
  )
}

function draftOfProject({ name, config, settings }: AdminProject): ProjectDraft {
  return { name, allow: config.allow ?? 'all', ...draftOf(settings, 'project') }
}

/** All settings, and whether the project is an allow-list: only where that was or is decided. */
function disclosureOf(allow: ProjectDraft['allow'], draft: DisclosureDraft, config: AdminProject['config']) {
  const isDecided = config.allow !== undefined || allow === 'only'
  return { ...disclosurePatch(draft, config), ...(isDecided && { allow }) }
}
