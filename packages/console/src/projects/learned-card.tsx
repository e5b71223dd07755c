import type { AdminLearnedUse } from '@tooldex/contract/admin'
import { useApi } from '../api/queries.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Removal } from '../parts/dialog.tsx'
import { Card } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { RelativeTime } from '../parts/time.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useChange } from '../parts/forms/use-change.ts'
import { type Text, useText } from '../text/text.ts'

const SHOWN = 50

/** What the searches of a project learnt from use; each use, or all of them, can be forgotten. */
export function LearnedCard({ project }: { readonly project: string }) {
  const { projects } = useText()
  const words = projects.learned
  const params = { project }
  const learned = useApi('listLearned', { params, query: { limit: SHOWN } })
  const forget = useChange('forgetLearned', { done: ({ forgotten }) => words.forgot(forgotten) })
  const state = learned.data?.state
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-2">
          {words.title}
          {state !== undefined && state !== 'on' && <Badge tone="warn">{words.states[state]}</Badge>}
        </span>
      }
      actions={
        (learned.data?.total ?? 0) > 0 && (
          <Removal
            verb={words.forgetAll}
            needs="forgetLearned"
            title={words.forgetAllTitle}
            consequences={words.forgetAllConsequences}
            isBusy={forget.isPending}
            onConfirm={() => forget.mutate({ params, query: {} })}
          />
        )
      }
    >
      <Loaded answer={learned}>
        {({ items, total }) =>
          items.length === 0 ? (
            <p className="p-5 text-sm text-soft">{words.empty}</p>
          ) : (
            <>
              <Table
                caption={words.title}
                rows={items}
                columns={columnsIn(words, ({ query, toolKey, tokenId }) =>
                  forget.mutate({ params, query: { query, tool: toolKey, token: tokenId } }),
                )}
                rowKey={({ query, toolKey, tokenId }) => JSON.stringify([query, toolKey, tokenId])}
                isDimmed={({ isGone }) => isGone === true}
              />
              {total > items.length && (
                <p className="px-5 py-3 text-[13px] text-soft">{words.more(total - items.length)}</p>
              )}
            </>
          )
        }
      </Loaded>
    </Card>
  )
}

function columnsIn(
  words: Text['projects']['learned'],
  onForget: (use: AdminLearnedUse) => void,
): readonly Column<AdminLearnedUse>[] {
  return [
    { id: 'query', title: words.usedFor, cell: ({ query }) => <UntrustedText most={200}>{query}</UntrustedText> },
    {
      id: 'tool',
      title: words.tool,
      cell: ({ toolKey, isGone }) => (
        <span className="flex flex-wrap items-center gap-2 font-mono text-xs">
          <UntrustedText>{toolKey}</UntrustedText>
          {isGone === true && <Badge>{words.gone}</Badge>}
        </span>
      ),
    },
    { id: 'token', title: words.taughtBy, from: 'lg', cell: ({ tokenName, tokenId }) => tokenName ?? tokenId },
    { id: 'at', title: words.lastUsed, from: 'sm', cell: ({ at }) => <RelativeTime at={at} /> },
    {
      id: 'forget',
      title: <span className="sr-only">{words.forget}</span>,
      align: 'right',
      cell: (use) => (
        <Button
          size="small"
          needs="forgetLearned"
          aria-label={words.forgetOne(use.query)}
          onClick={() => onForget(use)}
        >
          {words.forget}
        </Button>
      ),
    },
  ]
}
