import { Link } from '@tanstack/react-router'
import type { SearchAnswerShown } from '@tooldex/contract/admin'
import { Badge } from '../parts/badge.tsx'
import { Card } from '../parts/page.tsx'
import { plainText } from '../parts/unseen-characters.ts'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'

/** What one strategy answered: hits with relevance and reason, and what was left out. */
export function AnswerColumn({ answer }: { readonly answer: SearchAnswerShown }) {
  const { search: words, common } = useText()
  return (
    <Card
      title={
        <span className="flex flex-wrap items-center gap-2">
          {answer.strategy}
          {answer.answeredBy !== answer.strategy && (
            <Badge tone="warn" {...(answer.degraded !== undefined && { title: answer.degraded })}>
              {words.answeredBy(answer.answeredBy)}
            </Badge>
          )}
        </span>
      }
      actions={
        <span className="text-[13px] text-faint">
          {words.answered(Math.round(answer.ms * 100) / 100, answer.hits.length)}
        </span>
      }
    >
      {answer.problem !== undefined && (
        <p className="px-5 pt-4 text-sm text-bad">
          <UntrustedText>{answer.problem}</UntrustedText>
        </p>
      )}
      {answer.degraded !== undefined && <p className="px-5 pt-4 text-sm text-warn">{answer.degraded}</p>}
      {answer.hits.length === 0 ? (
        <p className="p-5 text-sm text-soft">{words.nothing}</p>
      ) : (
        <ol className="divide-y divide-line">
          {answer.hits.map((hit, place) => (
            <li key={hit.toolKey} className="flex flex-col gap-1 px-5 py-3 text-sm">
              <div className="flex items-baseline gap-2">
                <span className="w-5 shrink-0 text-faint tabular-nums">{place + 1}</span>
                <Link
                  to="/tools/$tool"
                  params={{ tool: hit.toolKey }}
                  className="min-w-0 flex-1 font-mono text-[13px] font-medium hover:underline"
                >
                  <UntrustedText>{hit.toolKey}</UntrustedText>
                </Link>
                <span className="tabular-nums">{relevanceText(hit.relevance)}</span>
              </div>
              <meter
                aria-label={words.relevance}
                min={0}
                max={1}
                value={hit.relevance}
                className="ml-7 h-1 w-[calc(100%-1.75rem)]"
              />
              <div className="ml-7 flex flex-col gap-0.5 text-[13px]">
                {hit.explanation !== undefined && (
                  <p className="text-accent-strong">
                    <UntrustedText most={300}>{hit.explanation}</UntrustedText>
                  </p>
                )}
                {hit.description !== undefined && (
                  <p className="line-clamp-2 text-soft">
                    <UntrustedText most={300}>{hit.description}</UntrustedText>
                  </p>
                )}
                <p className="line-clamp-2 font-mono text-xs text-faint" title={plainText(hit.signature)}>
                  <UntrustedText most={400}>{hit.signature}</UntrustedText>
                </p>
              </div>
            </li>
          ))}
        </ol>
      )}
      <footer className="border-t border-line px-5 py-3 text-[13px] text-soft">
        <p title={common.tokensHint}>{words.cost(common.tokensUnit(answer.tokens))}</p>
        {answer.leftOut.length > 0 && (
          <details className="mt-1.5">
            <summary className="cursor-pointer font-medium">{words.leftOut(answer.leftOut.length)}</summary>
            <ul className="mt-1.5 flex flex-col gap-1">
              {answer.leftOut.map(({ toolKey, reason }) => (
                <li key={toolKey}>
                  <span className="font-mono text-xs">
                    <UntrustedText>{toolKey}</UntrustedText>
                  </span>{' '}
                  <UntrustedText>{reason}</UntrustedText>
                </li>
              ))}
            </ul>
          </details>
        )}
      </footer>
    </Card>
  )
}

/** A hit is never of no relevance at all. */
function relevanceText(relevance: number): string {
  return relevance > 0 && relevance < 0.005 ? '< 0.01' : relevance.toFixed(2)
}
