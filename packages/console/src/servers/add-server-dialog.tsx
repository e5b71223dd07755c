import { useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useText } from '../text/text.ts'
import { AddByForm } from './add-by-form.tsx'
import { AddByPaste } from './add-by-paste.tsx'

/** Adds servers, by what another client already has or by a form. */
export function AddServerDialog({ onClose }: { readonly onClose: () => void }) {
  const { servers: words } = useText()
  const [way, setWay] = useState('paste')
  return (
    <Dialog open onClose={onClose} title={words.addTitle} lead={words.consent} size="large">
      <Tabs
        label={words.addByLabel}
        value={way}
        onChange={setWay}
        tabs={[
          { id: 'paste', title: words.addBy.paste, content: <AddByPaste onDone={onClose} /> },
          { id: 'form', title: words.addBy.form, content: <AddByForm onDone={onClose} /> },
        ]}
      />
    </Dialog>
  )
}
