import { useText } from '../text/text.ts'
import { Badge } from './badge.tsx'

interface Managed {
  readonly managedBy: 'store' | 'file' | 'built-in'
  readonly file?: string | undefined
}

/** Says that a file declares something, so that it cannot be changed here. */
export function FileBadge({ entry }: { readonly entry: Managed }) {
  const { common } = useText()
  if (entry.managedBy !== 'file') return null
  return <Badge title={common.managedByFile(entry.file ?? 'tooldex.json')}>{common.fileManaged}</Badge>
}

/** The same in a sentence, where a form would be. */
export function FileNote({ entry }: { readonly entry: Managed }) {
  const { common } = useText()
  if (entry.managedBy !== 'file') return null
  return (
    <p className="rounded-xl border border-line bg-sunken px-4 py-3 text-sm text-soft">
      {common.managedByFile(entry.file ?? 'tooldex.json')}
    </p>
  )
}
