import type { Saving } from '@tooldex/contract/admin'
import { PiggyBank } from 'lucide-react'
import { useApi } from '../api/queries.ts'
import { Badge } from '../parts/badge.tsx'
import { Figure } from '../parts/figure.tsx'
import { Card, Page } from '../parts/page.tsx'
import { EmptyState, Loaded } from '../parts/states.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { RelativeTime } from '../parts/time.tsx'
import { useText } from '../text/text.ts'
import { searchesUntilEven } from './break-even.ts'

/** What limited lists save, honest where they cost more. */
export function SavingsPage() {
  const { savings: words, common } = useText()
  const savings = useApi('getSavings', {}, { refetchInterval: 10_000 })
  return (
    <Page title={common.pages.savings} lead={words.lead}>
      <Loaded answer={savings}>
        {({ since, items }) => {
          const total = items.reduce((sum, item) => sum + item.tokensNotLoaded, 0)
          return (
            <>
              <div className="grid grid-cols-1 gap-3 sm:grid-cols-3">
                <Figure
                  label={total < 0 ? words.totalCost : words.total}
                  value={common.tokensUnit(Math.abs(total))}
                  note={common.tokensHint}
                />
                <Figure label={words.lists} value={items.reduce((sum, item) => sum + item.lists, 0).toLocaleString()} />
                <Figure label={words.since} value={<RelativeTime at={since} />} />
              </div>
              <Card>
                {items.length === 0 ? (
                  <EmptyState icon={<PiggyBank size={24} aria-hidden />} title={words.empty}>
                    {words.emptyText}
                  </EmptyState>
                ) : (
                  <SavingsTable items={items} />
                )}
              </Card>
              <p className="text-[13px] text-faint">
                {words.estimate} {words.breakEvenHint}
              </p>
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

function SavingsTable({ items }: { readonly items: readonly Saving[] }) {
  const { savings: words, common } = useText()
  const columns: readonly Column<Saving>[] = [
    { id: 'endpoint', title: words.endpoint, cell: ({ endpoint }) => <span className="font-medium">{endpoint}</span> },
    { id: 'project', title: words.project, from: 'sm', cell: ({ project }) => project },
    { id: 'exposure', title: words.exposure, from: 'sm', cell: ({ exposure }) => <Badge>{exposure}</Badge> },
    {
      id: 'all',
      title: words.ifAll,
      align: 'right',
      from: 'sm',
      cell: (item) => item.tokensIfAllWereListed.toLocaleString(),
    },
    { id: 'listed', title: words.listed, align: 'right', cell: (item) => item.tokensListed.toLocaleString() },
    { id: 'lists', title: words.lists, align: 'right', from: 'lg', cell: (item) => item.lists.toLocaleString() },
    {
      id: 'saved',
      title: words.saved,
      align: 'right',
      cell: ({ tokensNotLoaded }) => (
        <span className={tokensNotLoaded < 0 ? 'text-bad' : 'text-good'}>
          {tokensNotLoaded < 0 ? `${words.cost} ` : ''}
          {Math.abs(tokensNotLoaded).toLocaleString()}
        </span>
      ),
    },
    {
      id: 'even',
      title: <span title={words.breakEvenHint}>{words.breakEven}</span>,
      align: 'right',
      from: 'lg',
      cell: (item) => {
        const searches = searchesUntilEven(item)
        return searches === undefined ? words.never : words.searches(searches)
      },
    },
  ]
  return <Table caption={common.pages.savings} rows={items} columns={columns} rowKey={({ endpoint }) => endpoint} />
}
