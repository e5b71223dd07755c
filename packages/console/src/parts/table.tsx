import { createLink } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** A column of a table. */
export interface Column<Row> {
  readonly id: string
  readonly title: ReactNode
  readonly cell: (row: Row) => ReactNode
  /** `right` for numbers. */
  readonly align?: 'right'
  /** Hidden below this width: 640 or 1024 pixels. */
  readonly from?: 'sm' | 'lg'
  readonly className?: string
}

/** On small screens the last visible column gets the outer padding. */
const CELL = 'px-2.5 py-2.5 first:pl-5 last:pr-5 max-sm:[&:nth-last-child(1_of_:not(.hidden))]:pr-5 sm:px-4'

interface TableProps<Row> {
  /** Names the table for screen readers. */
  readonly caption: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly rowKey: (row: Row) => string
  readonly isDimmed?: (row: Row) => boolean
}

/** A table of up to some hundred rows. The first column names the row. */
export function Table<Row>({ caption, rows, columns, rowKey, isDimmed }: TableProps<Row>) {
  return (
    // Focusable for horizontal keyboard scrolling.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={caption}>
      <table className="w-full border-collapse text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line text-left text-xs text-faint">
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                className={classNames(
                  CELL,
                  'font-medium',
                  hiddenBelow(column.from),
                  column.align === 'right' ? 'text-right' : 'text-left',
                  column.className,
                )}
              >
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              className={classNames(
                'border-b border-line/70 last:border-b-0 hover:bg-sunken/60',
                isDimmed?.(row) === true && 'text-faint',
              )}
            >
              {columns.map((column, place) => {
                const Cell = place === 0 ? 'th' : 'td'
                return (
                  <Cell
                    key={column.id}
                    {...(place === 0 && { scope: 'row' })}
                    className={classNames(
                      CELL,
                      'align-middle font-normal',
                      hiddenBelow(column.from),
                      column.align === 'right' ? 'text-right' : 'text-left',
                      column.className,
                    )}
                  >
                    {column.cell(row)}
                  </Cell>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function hiddenBelow(from: 'sm' | 'lg' | undefined): string | undefined {
  if (from === undefined) return undefined
  return from === 'sm' ? 'hidden sm:table-cell' : 'hidden lg:table-cell'
}

/** The name of a row, linked to its page. */
export const RowLink = createLink((props: ComponentProps<'a'>) => (
  <a {...props} className="font-medium hover:underline" />
))

/** The first cell of a row: its name and badges. */
export function RowName({ children }: { readonly children: ReactNode }) {
  return <span className="flex flex-wrap items-center gap-2">{children}</span>
}
