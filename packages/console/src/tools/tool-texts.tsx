import type { AdminTool } from '@tooldex/contract/admin'
import { Button } from '../parts/button.tsx'
import { ChangeForm, editing } from '../parts/forms/change-form.tsx'
import { TextAreaField, TextField } from '../parts/field.tsx'
import { useEditForm } from '../parts/forms/use-edit-form.ts'
import { useText } from '../text/text.ts'

type InProject = AdminTool['projects'][number]

interface ToolTextsProps {
  readonly tool: Pick<AdminTool, 'key' | 'name'>
  readonly entry: InProject
  readonly onDone?: () => void
}

/** What agents of a project read about a tool: its name and its description. */
export function ToolTexts({ tool, entry, onDone }: ToolTextsProps) {
  const { tools: words } = useText()
  const { project } = entry
  const form = useEditForm('changeProjectTool', {
    entry,
    draftOf: ({ override }: InProject) => ({ name: override?.name ?? '', description: override?.description ?? '' }),
    patchOf: patchOfTexts,
    at: { params: { project, tool: tool.key } },
    entryIn: (answer) => answer.projects.find((each) => each.project === project) ?? entry,
    canUndo: true,
    ...(onDone !== undefined && { onDone }),
  })
  const names: Readonly<Record<string, string>> = { name: words.givenName, description: words.override }
  return (
    <ChangeForm
      className="gap-3"
      fields={['name', 'description']}
      {...editing(form, (field) => names[field] ?? field)}
      actions={
        form.isChanged && (
          <Button kind="primary" size="small" className="self-start" type="submit" busy={form.change.isPending}>
            {words.saveTexts}
          </Button>
        )
      }
    >
      {(problemOf) => (
        <>
          <TextField
            label={words.givenName}
            hint={words.givenNameHint}
            isCode
            placeholder={tool.name}
            value={form.draft.name}
            onChange={(event) => form.set({ name: event.target.value })}
            problem={problemOf('name')}
          />
          <TextAreaField
            label={words.override}
            hint={words.overrideHint}
            rows={2}
            value={form.draft.description}
            onChange={(event) => form.set({ description: event.target.value })}
            problem={problemOf('description')}
          />
        </>
      )}
    </ChangeForm>
  )
}

function patchOfTexts({ name, description }: { readonly name: string; readonly description: string }) {
  const unset = [...(name === '' ? ['name'] : []), ...(description === '' ? ['description'] : [])]
  return { ...(name !== '' && { name }), ...(description !== '' && { description }), unset }
}
