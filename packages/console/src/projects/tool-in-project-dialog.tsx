import type { AdminTool } from '@tooldex/contract/admin'
import { FileNote } from '../parts/badge.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { plainText } from '../parts/invisible-characters.ts'
import { Switch } from '../parts/switch.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { ToolTexts } from '../tools/tool-texts.tsx'
import { useProjectTools } from '../tools/use-project-tools.ts'

interface ToolInProjectProps {
  readonly tool: AdminTool
  readonly entry: AdminTool['projects'][number]
  readonly onClose: () => void
}

/** The settings of one tool in a project: its name and description for agents, and how it is listed. */
export function ToolInProjectDialog({ tool, entry, onClose }: ToolInProjectProps) {
  const { tools: words, projects } = useText()
  const { override, managedBy } = entry
  const change = useProjectTools(entry.project)
  const isFixed = managedBy === 'file'
  return (
    <Dialog
      open
      onClose={onClose}
      title={projects.editTool(plainText(tool.name))}
      lead={<UntrustedText most={300}>{tool.description ?? ''}</UntrustedText>}
    >
      <div className="flex flex-col gap-5">
        <FileNote entry={entry} />
        {!isFixed && <ToolTexts tool={tool} entry={entry} onDone={onClose} />}
        <div className="grid gap-4 sm:grid-cols-2">
          <Switch
            label={words.pinned}
            needs="changeProjectTools"
            hint={words.pinnedHint}
            disabled={isFixed}
            checked={override?.pinned === true}
            onChange={(pinned) => change([tool], pinned ? { pinned } : { unset: ['pinned'] })}
          />
          <Switch
            label={words.deferred}
            needs="changeProjectTools"
            hint={words.deferredHint}
            disabled={isFixed}
            checked={override?.deferLoading === true}
            onChange={(deferLoading) => change([tool], { deferLoading })}
          />
        </div>
      </div>
    </Dialog>
  )
}
