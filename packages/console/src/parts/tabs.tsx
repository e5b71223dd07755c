import { Tabs as BaseTabs } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

interface Tab {
  readonly id: string
  readonly title: ReactNode
  readonly content: ReactNode
  /** Keeps the content while another tab is shown, with what was typed into it. */
  readonly isKept?: boolean
}

/** Tabs. The caller keeps the selected one, usually in the URL. */
export function Tabs({
  tabs,
  value,
  onChange,
  label,
  look = 'line',
}: {
  readonly tabs: readonly Tab[]
  readonly value: string
  readonly onChange: (id: string) => void
  readonly label: string
  /** `pills` wrap to several lines, for many tabs. */
  readonly look?: keyof typeof LOOKS
}) {
  return (
    <BaseTabs.Root value={value} onValueChange={(next) => onChange(String(next))}>
      <BaseTabs.List aria-label={label} className={LOOKS[look].list}>
        {tabs.map((tab) => (
          <BaseTabs.Tab key={tab.id} value={tab.id} className={LOOKS[look].tab}>
            {tab.title}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {tabs.map((tab) => (
        <BaseTabs.Panel key={tab.id} value={tab.id} keepMounted={tab.isKept === true}>
          {tab.content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  )
}

const LOOKS = {
  line: {
    list: 'flex gap-1 overflow-x-auto overflow-y-hidden max-sm:flex-wrap max-sm:gap-0 border-b border-line px-2 max-sm:px-1',
    tab: '-mb-px cursor-pointer border-b-2 border-transparent px-3 py-2.5 text-sm font-medium max-sm:px-2 max-sm:text-[13px] whitespace-nowrap text-soft hover:text-text data-active:border-accent data-active:text-text',
  },
  pills: {
    list: 'flex flex-wrap gap-1.5 px-5 pt-4',
    tab: 'h-8 cursor-pointer rounded-full border border-line px-3 text-[13px] font-medium whitespace-nowrap text-soft transition-colors hover:border-line-strong hover:text-text data-active:border-accent/40 data-active:bg-accent-soft data-active:text-accent-strong',
  },
} as const
