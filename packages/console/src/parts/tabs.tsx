import { Tabs as BaseTabs } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

interface Tab {
  readonly id: string
  readonly title: ReactNode
  readonly content: ReactNode
}

/** Parts of one thing, one at a time. Which one is for the URL to say. */
export function Tabs({
  tabs,
  value,
  onChange,
  label,
}: {
  readonly tabs: readonly Tab[]
  readonly value: string
  readonly onChange: (id: string) => void
  readonly label: string
}) {
  return (
    <BaseTabs.Root value={value} onValueChange={(next) => onChange(String(next))}>
      <BaseTabs.List
        aria-label={label}
        className="flex gap-1 overflow-x-auto overflow-y-hidden border-b border-line px-2"
      >
        {tabs.map((tab) => (
          <BaseTabs.Tab
            key={tab.id}
            value={tab.id}
            className="-mb-px cursor-pointer border-b-2 border-transparent px-3 py-2.5 text-sm font-medium whitespace-nowrap text-soft hover:text-text data-active:border-accent data-active:text-text"
          >
            {tab.title}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {tabs.map((tab) => (
        <BaseTabs.Panel key={tab.id} value={tab.id}>
          {tab.content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  )
}
