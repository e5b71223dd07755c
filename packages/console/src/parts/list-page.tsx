import { useNavigate, useSearch } from '@tanstack/react-router'
import type { AdminRouteId } from '@tooldex/contract/admin'
import { type LucideIcon, Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useText } from '../text/text.ts'
import { Button } from './button.tsx'
import { TextField } from './field.tsx'
import { Card, Page } from './page.tsx'
import { useRefusal } from './role.tsx'
import { type Answer, EmptyState, Loaded } from './states.tsx'
import { type Column, Table } from './table.tsx'

interface ListPageProps<Item> {
  readonly title: string
  readonly lead: string
  readonly answer: Answer<{ readonly items: readonly Item[] }>
  readonly columns: readonly Column<Item>[]
  readonly isDimmed?: (item: Item) => boolean
  /** The words by which an entry of a longer list is found. */
  readonly wordsOf: (item: Item) => string
  /** The label of the “add” button; `dialog` renders what it opens. */
  readonly add: string
  /** The operation that adds. */
  readonly needs: AdminRouteId
  readonly dialog: (close: () => void) => ReactNode
  /** The empty state. */
  readonly empty: { readonly icon: LucideIcon; readonly title: string; readonly text?: string }
}

/** Shorter lists need no search. */
const FEW = 8
/** Of longer lists only the rows in sight are rendered. */
const MANY = 100
const ROW_HEIGHT = 53

/** A page that lists all entries of a kind and adds new ones. */
export function ListPage<Item extends { readonly id: string }>(props: ListPageProps<Item>) {
  const { title, answer, columns, isDimmed, wordsOf, empty } = props
  const { common } = useText()
  const [typed, setTyped] = useState('')
  const asked = typed.trim().toLowerCase()
  const isFound = (item: Item): boolean => wordsOf(item).toLowerCase().includes(asked)
  const { isOpen, open, close } = useDialogInAddress()
  const refusal = useRefusal(props.needs)
  const button = (
    <Button kind="primary" needs={props.needs} icon={<Plus size={16} aria-hidden />} onClick={open}>
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
              <>
                {items.length > FEW && (
                  <search className="block border-b border-line px-5 py-3">
                    <TextField
                      className="max-w-md"
                      label={common.findIn(title)}
                      hideLabel
                      type="search"
                      placeholder={common.findIn(title)}
                      value={typed}
                      onChange={(event) => setTyped(event.target.value)}
                    />
                  </search>
                )}
                <Table
                  caption={title}
                  rows={items.filter(isFound)}
                  columns={columns}
                  rowKey={({ id }) => id}
                  {...(items.length > MANY && { rowHeight: ROW_HEIGHT })}
                  {...(isDimmed !== undefined && { isDimmed })}
                />
              </>
            )
          }
        </Loaded>
      </Card>
      {isOpen && refusal === undefined && props.dialog(close)}
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
    // The dialog itself asks where something was typed.
    close: () => void navigate({ to: '.', search: {}, replace: true, ignoreBlocker: true }),
  }
}
