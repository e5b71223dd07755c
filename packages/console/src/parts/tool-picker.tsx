import { Combobox } from '@base-ui/react/combobox'
import { useDeferredValue, useId, useState } from 'react'
import { useApi } from '../api/queries.ts'
import { useText } from '../text/text.ts'
import { UntrustedText } from './untrusted-text.tsx'

/** Chooses a tool by searching while typing. */
export function ToolPicker({
  label,
  value,
  onChoose,
}: {
  readonly label: string
  readonly value: string | undefined
  readonly onChoose: (key: string) => void
}) {
  const { tokens: words } = useText()
  const id = useId()
  const [typed, setTyped] = useState(value ?? '')
  const asked = useDeferredValue(typed)
  const found = useApi('listTools', { query: { q: asked, limit: '20' } }, { placeholderData: (before) => before })
  const keys = (found.data?.items ?? []).map(({ key }) => key)
  return (
    <Combobox.Root
      items={keys}
      filter={null}
      value={value ?? null}
      onValueChange={(key) => key !== null && onChoose(key)}
      inputValue={typed}
      onInputValueChange={setTyped}
    >
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="text-[13px] font-medium">
          {label}
        </label>
        <Combobox.Input
          id={id}
          placeholder={words.toolHint}
          className="h-9.5 w-full rounded-lg border border-line-strong/60 bg-surface px-3 font-mono text-[13px] placeholder:text-faint disabled:cursor-not-allowed disabled:bg-sunken"
        />
      </div>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} className="z-50">
          <Combobox.Popup className="max-h-72 w-(--anchor-width) overflow-y-auto rounded-xl border border-line bg-surface p-1 text-[13px] shadow-raised">
            <Combobox.List>
              {(key: string) => (
                <Combobox.Item
                  key={key}
                  value={key}
                  className="cursor-pointer truncate rounded-lg px-2.5 py-1.5 font-mono data-highlighted:bg-sunken"
                >
                  <UntrustedText>{key}</UntrustedText>
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}
