import { useNavigate, useSearch } from '@tanstack/react-router'
import { type LucideIcon, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Card, Page } from './page.tsx'
import { type Answer, EmptyState, Loaded } from './states.tsx'
import { type Column, Table } from './table.tsx'

interface ListPageProps<Item> {
  readonly title: string
  readonly lead: string
  readonly answer: Answer<{ readonly items: readonly Item[] }>
  readonly columns: readonly Column<Item>[]
  readonly isDimmed?: (item: Item) => boolean
  /** The label of the “add” button; `dialog` renders what it opens. */
  readonly add: string
  readonly dialog: (close: () => void) => ReactNode
  /** The empty state. */
  readonly empty: { readonly icon: LucideIcon; readonly title: string; readonly text?: string }
}

/** A page that lists all entries of a kind and adds new ones. */
export function ListPage<Item extends { readonly id: string }>(props: ListPageProps<Item>) {
  const { title, answer, columns, isDimmed, empty } = props
  const { isOpen, open, close } = useDialogInAddress()
  const button = (
    <Button kind="primary" icon={<Plus size={16} aria-hidden />} onClick={open}>
      {props.add}
    </Button>
  )
  return (
    <Page title={title} lead={props.lead} actions={button}>
      <Card>
        <Loaded answer={answer}>
          {({ items }) =>
            items.length === 0 ? (
              <EmptyState icon={<empty.icon size={24} aria-hidden />} title={empty.title} action={button}>
                {empty.text}
              </EmptyState>
            ) : (
              <Table
                caption={title}
                rows={items}
                columns={columns}
                rowKey={({ id }) => id}
                {...(isDimmed !== undefined && { isDimmed })}
              />
            )
          }
        </Loaded>
      </Card>
      {isOpen && props.dialog(close)}
    </Page>
  )
}

/** The open dialog is kept in the address, so that any page can link to it and “back” closes it. */
function useDialogInAddress() {
  const { add } = useSearch({ strict: false })
  const navigate = useNavigate()
  return {
    isOpen: add !== undefined,
    open: () => void navigate({ to: '.', search: { add: '1' } }),
    close: () => void navigate({ to: '.', search: {}, replace: true }),
  }
}
