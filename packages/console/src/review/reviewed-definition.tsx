import type { ReviewItem } from '@tooldex/contract/admin'
import { Badge, type Tone } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { classNames } from '../parts/class-names.ts'
import { RelativeTime } from '../parts/time.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'

const TONES: Readonly<Record<'hold' | 'block', Tone>> = { hold: 'warn', block: 'bad' }

/** A changed definition: the reasons, the words that changed, and the decision. */
export function ReviewedDefinition({
  item,
  isBusy,
  onApprove,
  onBlock,
}: {
  readonly item: ReviewItem
  readonly isBusy: boolean
  readonly onApprove: () => void
  readonly onBlock: () => void
}) {
  const { review: words } = useText()
  const title = item.name === '' ? words.kind[item.kind] : item.name
  return (
    <article aria-label={title} className="rounded-xl border border-line">
      <header className="flex flex-wrap items-start justify-between gap-3 border-b border-line px-4 py-3">
        <div className="flex min-w-0 flex-wrap items-center gap-2">
          <h3 className="font-mono text-sm font-medium">
            <UntrustedText most={200}>{title}</UntrustedText>
          </h3>
          {item.name !== '' && <Badge>{words.kind[item.kind]}</Badge>}
          <Badge tone={item.isNew ? 'accent' : 'neutral'}>{item.isNew ? words.isNew : words.isChanged}</Badge>
          <span className="text-[13px] text-faint">
            <RelativeTime at={item.since} />
          </span>
        </div>
        <div className="flex gap-2">
          {item.state !== 'blocked' && (
            <Button size="small" kind="danger" needs="blockReviewed" busy={isBusy} onClick={onBlock}>
              {words.block}
            </Button>
          )}
          <Button size="small" kind="plain" needs="approveReviewed" busy={isBusy} onClick={onApprove}>
            {words.approve}
          </Button>
        </div>
      </header>
      <div className="flex flex-col gap-3 px-4 py-3 text-sm">
        {item.state !== 'recorded' && <p className="text-soft">{item.isServed ? words.served : words.notServed}</p>}
        {item.reasons.length > 0 && <Reasons reasons={item.reasons} />}
        <Changes diff={item.diff} />
      </div>
    </article>
  )
}

function Reasons({ reasons }: { readonly reasons: ReviewItem['reasons'] }) {
  const { review: words } = useText()
  return (
    <ul aria-label={words.reasons} className="flex flex-col gap-2">
      {reasons.map(({ rule, severity, message, field, excerpt }, place) => (
        <li key={place} className="grid grid-cols-[6rem_1fr] items-baseline gap-x-2 max-sm:grid-cols-1">
          <span>
            <Badge tone={TONES[severity]} title={rule}>
              {words.severity[severity]}
            </Badge>
          </span>
          <span className="min-w-0 wrap-anywhere">
            <UntrustedText most={500}>{message}</UntrustedText>
            {field !== undefined && field !== '' && (
              <code className="ml-2 font-mono text-[0.92em] text-soft">
                <UntrustedText most={200}>{field}</UntrustedText>
              </code>
            )}
            {excerpt !== undefined && (
              <q className="block text-soft">
                <UntrustedText most={200}>{excerpt}</UntrustedText>
              </q>
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}

const LOOKS = {
  same: '',
  added: 'rounded bg-good-soft text-good no-underline',
  removed: 'rounded bg-bad-soft text-bad line-through',
} as const

const TAGS = { same: 'span', added: 'ins', removed: 'del' } as const

/** The fields that changed, word by word; hidden characters are shown by their code points. */
function Changes({ diff }: { readonly diff: ReviewItem['diff'] }) {
  return (
    <dl className="flex flex-col gap-2">
      {diff.map(({ field, pieces }) => (
        <div key={field} className="min-w-0">
          {field !== '' && (
            <dt className="font-mono text-[13px] text-faint">
              <UntrustedText most={200}>{field}</UntrustedText>
            </dt>
          )}
          <dd className="max-h-72 overflow-y-auto rounded-lg bg-sunken px-3 py-2 whitespace-pre-wrap" tabIndex={0}>
            {pieces.map(({ how, text }, place) => {
              const Tag = TAGS[how]
              return (
                <Tag key={place} className={classNames(LOOKS[how])}>
                  <UntrustedText>{text}</UntrustedText>
                </Tag>
              )
            })}
          </dd>
        </div>
      ))}
    </dl>
  )
}
