import { Link } from '@tanstack/react-router'
import type { RouteAnswer } from '@tooldex/contract/admin'
import { useState } from 'react'
import { useApi } from '../api/queries.ts'
import { Chip } from '../parts/chip.tsx'
import { Loaded } from '../parts/states.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { RelativeTime } from '../parts/time.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { type Text, useText } from '../text/text.ts'
import type { queryOf } from './audit-entries.ts'

type Searched = RouteAnswer<'listSearches'>['items'][number]

/** What agents searched for, and which searches found nothing or led to no call. */
export function SearchesCard({ query }: { readonly query: ReturnType<typeof queryOf> }) {
  const { audit: words } = useText()
  const [isUnanswered, setIsUnanswered] = useState(true)
  const { project, from, until } = query
  const searches = useApi('listSearches', {
    query: { project, from, until, unanswered: isUnanswered ? 'true' : 'false', limit: '200' },
  })
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 px-5 pt-4">
        <Chip
          label={words.unanswered}
          state={isUnanswered ? 'true' : undefined}
          onToggle={() => setIsUnanswered(!isUnanswered)}
        />
      </div>
      <Loaded answer={searches}>
        {({ items, withoutTexts }) => (
          <>
            {items.length === 0 ? (
              <p className="p-5 text-sm text-soft">{isUnanswered ? words.noneUnanswered : words.noSearches}</p>
            ) : (
              <Table
                caption={words.views.searches}
                rows={items}
                columns={columnsIn(words, project)}
                rowKey={({ queries }) => queries.join('\n')}
              />
            )}
            {withoutTexts > 0 && <p className="px-5 py-3 text-[13px] text-soft">{words.withoutTexts(withoutTexts)}</p>}
          </>
        )}
      </Loaded>
    </>
  )
}

function columnsIn(words: Text['audit'], project: string | undefined): readonly Column<Searched>[] {
  return [
    {
      id: 'query',
      title: words.queryTexts,
      cell: ({ queries }) => (
        <Link
          to="/search"
          search={{ q: queries.join('\n'), ...(project !== undefined && { project }) }}
          className="font-medium text-accent-strong underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
        >
          <UntrustedText most={200}>{queries.join(' | ')}</UntrustedText>
        </Link>
      ),
    },
    {
      id: 'searches',
      title: words.times,
      align: 'right',
      from: 'sm',
      cell: ({ searches }) => searches.toLocaleString(),
    },
    {
      id: 'nothing',
      title: words.foundNothing,
      align: 'right',
      cell: ({ foundNothing }) => foundNothing.toLocaleString(),
    },
    { id: 'ignored', title: words.noCall, align: 'right', cell: ({ ledToNoCall }) => ledToNoCall.toLocaleString() },
    { id: 'last', title: words.last, align: 'right', from: 'sm', cell: ({ lastAt }) => <RelativeTime at={lastAt} /> },
  ]
}
