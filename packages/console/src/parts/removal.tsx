import { Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { ConfirmDialog } from './dialog.tsx'

interface RemovalProps {
  /** The verb, on the button and in the dialog. */
  readonly verb: string
  /** A question that names the thing. */
  readonly title: string
  /** What follows from it, one sentence each. */
  readonly consequences: readonly ReactNode[]
  readonly isBusy: boolean
  readonly onConfirm: () => void
}

/** A button that removes something for good, once a person has read what follows. */
export function Removal({ verb, title, consequences, isBusy, onConfirm }: RemovalProps) {
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <Button kind="danger" icon={<Trash2 size={15} aria-hidden />} onClick={() => setIsAsking(true)}>
        {verb}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={title}
        consequences={consequences}
        verb={verb}
        busy={isBusy}
        onConfirm={onConfirm}
      />
    </>
  )
}
