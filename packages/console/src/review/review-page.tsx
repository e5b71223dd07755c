import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReviewItem } from '@tooldex/contract/admin'
import { ShieldCheck } from 'lucide-react'
import { useApi } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { Card, Page } from '../parts/page.tsx'
import { RoleNote } from '../parts/role.tsx'
import { EmptyState, Loaded } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useChange } from '../parts/forms/use-change.ts'
import { useText } from '../text/text.ts'
import { byServer, decidable, isAlarming } from './review-groups.ts'
import { ReviewedDefinition } from './reviewed-definition.tsx'

const STATES = ['held', 'blocked', 'recorded'] as const
type State = (typeof STATES)[number]

/** Definitions that servers changed: what waits, what was refused, and what was taken over without a person. */
export function ReviewPage() {
  const { review: words, common } = useText()
  const navigate = useNavigate()
  const { state: asked } = useSearch({ strict: false })
  const state = STATES.find((each) => each === asked) ?? 'held'
  return (
    <Page title={common.pages.review} lead={words.lead}>
      <RoleNote needs="approveReviewed" />
      <Card>
        <Tabs
          label={words.states}
          value={state}
          onChange={(next) => void navigate({ to: '.', search: next === 'held' ? {} : { state: next } })}
          tabs={STATES.map((id) => ({
            id,
            title: words.state[id],
            content: id === state && <Definitions state={id} />,
          }))}
        />
      </Card>
    </Page>
  )
}

function Definitions({ state }: { readonly state: State }) {
  const { review: words } = useText()
  const answer = useApi('listReview', { query: { state } })
  return (
    <Loaded answer={answer}>
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState icon={<ShieldCheck size={24} aria-hidden />} title={words.empty[state]}>
            {words.emptyText}
          </EmptyState>
        ) : (
          <div className="divide-y divide-line">
            {byServer(items).map((group) => (
              <ServerGroup key={group.server} items={group.items} name={group.name} />
            ))}
          </div>
        )
      }
    </Loaded>
  )
}

/** The definitions of one server, decided one by one or together. */
function ServerGroup({ name, items }: { readonly name: string; readonly items: readonly ReviewItem[] }) {
  const { review: words } = useText()
  const done = { touches: 'review', done: (answer: { decided: number }) => words.decided(answer.decided) } as const
  const approve = useChange('approveReviewed', done)
  const block = useChange('blockReviewed', done)
  const isBusy = approve.isPending || block.isPending
  const quiet = items.filter((item) => !isAlarming(item) && item.state !== 'blocked')
  return (
    <section aria-label={name} className="flex flex-col gap-4 p-5">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-base font-semibold">
          <UntrustedText most={100}>{name}</UntrustedText>
        </h2>
        {quiet.length > 1 && (
          <Button
            size="small"
            needs="approveReviewed"
            busy={isBusy}
            onClick={() => approve.mutate({ body: { items: decidable(quiet) } })}
          >
            {quiet.length === items.length ? words.approveAll(quiet.length) : words.approveOthers(quiet.length)}
          </Button>
        )}
      </header>
      <ul className="flex flex-col gap-4">
        {items.map((item) => (
          <li key={`${item.kind} ${item.name} ${item.hash}`}>
            <ReviewedDefinition
              item={item}
              isBusy={isBusy}
              onApprove={() => approve.mutate({ body: { items: decidable([item]) } })}
              onBlock={() => block.mutate({ body: { items: decidable([item]) } })}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}
