import { createLink } from '@tanstack/react-router'
import {
  createSortedRowModel,
  rowSelectionFeature,
  rowSortingFeature,
  type RowSelectionState,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import {
  type ComponentProps,
  type ReactNode,
  type RefObject,
  memo,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useText } from '../text/text.ts'
import { classNames } from './class-names.ts'

/** Widths of the window from which a column is shown: 640, 1024 and 1280 pixels. */
const SHOWN_FROM = { sm: 'hidden sm:table-cell', lg: 'hidden lg:table-cell', xl: 'hidden xl:table-cell' }
type Width = keyof typeof SHOWN_FROM

/** A column of a table. */
export interface Column<Row> {
  readonly id: string
  readonly title: ReactNode
  readonly cell: (row: Row) => ReactNode
  /** The value that a click on the title sorts by; rows without one come last. */
  readonly sortBy?: (row: Row) => string | number | undefined
  /** `right` for numbers. */
  readonly align?: 'right'
  /** Hidden below this width. */
  readonly from?: Width
  readonly className?: string
}

/** On small screens the last visible column gets the outer padding. */
const CELL = 'px-2.5 py-2.5 first:pl-5 last:pr-5 max-sm:[&:nth-last-child(1_of_:not(.hidden))]:pr-5 sm:px-4'

/** Rows that are chosen, by key. */
interface Selection<Row> {
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
  /** Names the checkbox of a row. */
  readonly labelOf: (row: Row) => string
  readonly all: string
}

interface TableProps<Row> {
  /** Names the table for screen readers. */
  readonly caption: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly rowKey: (row: Row) => string
  readonly isDimmed?: (row: Row) => boolean
  readonly selection?: Selection<Row>
  /** For thousands of rows of about the same height: they scroll within the table, and only visible ones are rendered. */
  readonly rowHeight?: number
}

const FEATURES = tableFeatures({ rowSortingFeature, rowSelectionFeature, sortedRowModel: createSortedRowModel() })
const NUMBERS_FIRST = { sortFn: compareValues, sortUndefined: 'last' } as const

/** A table, sorted by clicks on its titles. The first column names the row. */
export function Table<Row extends object | string>(props: TableProps<Row>) {
  const { caption, rows, columns, rowKey, isDimmed, selection, rowHeight } = props
  const [sorting, setSorting] = useState<SortingState>([])
  const data = useMemo(() => rows.map((value) => ({ value })), [rows])
  const definitions = useMemo(
    () =>
      columns.map(({ id, sortBy }) => ({
        id,
        enableSorting: sortBy !== undefined,
        ...(sortBy !== undefined && { accessorFn: ({ value }: { value: Row }) => sortBy(value), ...NUMBERS_FIRST }),
      })),
    [columns],
  )
  const rowSelection = useMemo(
    (): RowSelectionState => Object.fromEntries([...(selection?.chosen ?? [])].map((key) => [key, true])),
    [selection?.chosen],
  )
  const table = useTable({
    features: FEATURES,
    columns: definitions,
    data,
    getRowId: ({ value }) => rowKey(value),
    state: { sorting, rowSelection },
    onSortingChange: setSorting,
    onRowSelectionChange: (update) => {
      const next = typeof update === 'function' ? update(rowSelection) : update
      selection?.onChange(new Set(Object.keys(next).filter((key) => next[key])))
    },
    enableSortingRemoval: true,
  })
  const sorted = table.getRowModel().rows
  const latest = useRef(table)
  latest.current = table
  const choose = useCallback((id: string, isChosen: boolean) => latest.current.getRow(id).toggleSelected(isChosen), [])
  const scroller = useRef<HTMLDivElement>(null)
  const { from, to, before, after } = useVisibleRows(scroller, sorted.length, rowHeight)
  const headers = table.getHeaderGroups()[0]?.headers ?? []
  return (
    // Focusable for keyboard scrolling.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div
      ref={scroller}
      className={classNames(
        'overflow-x-auto',
        rowHeight !== undefined && 'max-h-[70vh] overflow-y-auto contain-content',
      )}
      tabIndex={0}
      role="region"
      aria-label={caption}
    >
      <table className="w-full border-collapse text-sm" aria-rowcount={rows.length + 1}>
        <caption className="sr-only">{caption}</caption>
        <thead className={rowHeight === undefined ? undefined : 'sticky top-0 z-10 bg-surface'}>
          <tr className="border-b border-line text-left text-xs text-faint">
            {selection !== undefined && (
              <td className="w-10 py-2.5 pl-5">
                <RowCheckbox
                  label={selection.all}
                  state={
                    table.getIsAllRowsSelected() && rows.length > 0
                      ? true
                      : table.getIsSomeRowsSelected()
                        ? 'some'
                        : false
                  }
                  onChange={(isChosen) => table.toggleAllRowsSelected(isChosen)}
                />
              </td>
            )}
            {headers.map((header, place) => {
              const column = columns[place]
              if (column === undefined) return null
              const direction = header.column.getIsSorted()
              return (
                <th
                  key={header.id}
                  scope="col"
                  aria-sort={direction === false ? undefined : direction === 'asc' ? 'ascending' : 'descending'}
                  className={classNames(
                    CELL,
                    // Japanese would break after every letter.
                    'font-medium break-keep',
                    hiddenBelow(column.from),
                    column.align === 'right' ? 'text-right' : 'text-left',
                    column.className,
                  )}
                >
                  {column.sortBy === undefined ? (
                    column.title
                  ) : (
                    <SortButton direction={direction} onClick={() => header.column.toggleSorting()}>
                      {column.title}
                    </SortButton>
                  )}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>
          <Spacer height={before} />
          {sorted.slice(from, to).map((row, index) => (
            <TableRow
              key={row.id}
              id={row.id}
              value={row.original.value}
              place={from + index + 2}
              columns={columns}
              rowHeight={rowHeight}
              isDimmed={isDimmed?.(row.original.value) === true}
              isChosen={row.getIsSelected()}
              label={selection?.labelOf(row.original.value)}
              onChoose={choose}
            />
          ))}
          <Spacer height={after} />
        </tbody>
      </table>
    </div>
  )
}

interface TableRowProps<Row> {
  readonly id: string
  readonly value: Row
  readonly place: number
  readonly columns: readonly Column<Row>[]
  readonly rowHeight: number | undefined
  readonly isDimmed: boolean
  readonly isChosen: boolean
  /** Names the checkbox; absent if rows cannot be chosen. */
  readonly label: string | undefined
  readonly onChoose: (id: string, isChosen: boolean) => void
}

function PlainTableRow<Row>(props: TableRowProps<Row>) {
  const { id, value, place, columns, rowHeight, isDimmed, isChosen, label, onChoose } = props
  return (
    <tr
      aria-rowindex={place}
      style={rowHeight === undefined ? undefined : { height: rowHeight }}
      className={classNames(
        'border-b border-line/70 last:border-b-0 hover:bg-sunken/60',
        isDimmed && 'text-faint',
        isChosen && 'bg-accent-soft/50',
      )}
    >
      {label !== undefined && (
        <td className="w-10 py-2.5 pl-5">
          <RowCheckbox label={label} state={isChosen} onChange={(chosen) => onChoose(id, chosen)} />
        </td>
      )}
      {columns.map((column, nth) => {
        const Cell = nth === 0 ? 'th' : 'td'
        return (
          <Cell
            key={column.id}
            {...(nth === 0 && { scope: 'row' })}
            className={classNames(
              CELL,
              'align-middle font-normal',
              hiddenBelow(column.from),
              column.align === 'right' ? 'text-right' : 'text-left',
              column.className,
            )}
          >
            {column.cell(value)}
          </Cell>
        )
      })}
    </tr>
  )
}

/** A row that stays in sight while others scroll is not rendered again. */
const TableRow = memo(PlainTableRow) as typeof PlainTableRow

/** Fewer rows are all rendered. */
const FEW = 60

function useVisibleRows(scroller: RefObject<HTMLDivElement | null>, count: number, rowHeight: number | undefined) {
  const isVirtual = rowHeight !== undefined && count > FEW
  const virtual = useVirtualizer({
    count,
    enabled: isVirtual,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight ?? 0,
    overscan: 8,
    useFlushSync: false,
  })
  if (!isVirtual) return { from: 0, to: count, before: 0, after: 0 }
  const items = virtual.getVirtualItems()
  const [first, last] = [items[0], items.at(-1)]
  if (first === undefined || last === undefined) return { from: 0, to: Math.min(count, FEW), before: 0, after: 0 }
  return { from: first.index, to: last.index + 1, before: first.start, after: virtual.getTotalSize() - last.end }
}

/** Takes the place of rows that are not rendered. */
function Spacer({ height }: { readonly height: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden>
      <td style={{ height, padding: 0 }} />
    </tr>
  )
}

interface SortButtonProps {
  readonly direction: false | 'asc' | 'desc'
  readonly onClick: () => void
  readonly children: ReactNode
}

function SortButton({ direction, onClick, children }: SortButtonProps) {
  const { common } = useText()
  const Icon = direction === false ? ChevronsUpDown : direction === 'asc' ? ArrowUp : ArrowDown
  return (
    <button
      type="button"
      onClick={onClick}
      title={common.sort}
      className="group inline-flex cursor-pointer items-center gap-1 rounded font-medium hover:text-text"
    >
      {children}
      <Icon size={13} className={classNames('shrink-0', direction === false && 'opacity-50')} aria-hidden />
    </button>
  )
}

interface RowCheckboxProps {
  readonly label: string
  readonly state: boolean | 'some'
  readonly onChange: (isChosen: boolean) => void
}

/** Native, so that thousands stay cheap. */
function RowCheckbox({ label, state, onChange }: RowCheckboxProps) {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = state === 'some'
  }, [state])
  return (
    <input
      ref={box}
      type="checkbox"
      aria-label={label}
      checked={state === true}
      onChange={(event) => onChange(event.target.checked)}
      className="size-4 cursor-pointer align-middle accent-accent"
    />
  )
}

interface Sortable {
  getValue(columnId: string): unknown
}

/** Numbers by value, texts as people sort them. */
function compareValues(one: Sortable, other: Sortable, columnId: string): number {
  const [left, right] = [one.getValue(columnId), other.getValue(columnId)]
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return String(left).localeCompare(String(right), undefined, { numeric: true })
}

function hiddenBelow(from: Width | undefined): string | undefined {
  return from === undefined ? undefined : SHOWN_FROM[from]
}

/** The name of a row, linked to its page. */
export const RowLink = createLink((props: ComponentProps<'a'>) => (
  <a
    {...props}
    className="min-w-0 truncate font-medium hover:underline max-sm:py-1 max-sm:wrap-anywhere max-sm:whitespace-normal"
  />
))

/** The first cell of a row: its name and badges. */
export function RowName({ children }: { readonly children: ReactNode }) {
  return <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">{children}</span>
}
