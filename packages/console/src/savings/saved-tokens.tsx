import { classNames } from '../parts/class-names.ts'
import { useText } from '../text/text.ts'

/** What was saved, or in words what it cost more. Never by colour or sign alone. */
export function SavedTokens({ tokens }: { readonly tokens: number }) {
  const { savings: words, common } = useText()
  if (tokens === 0) return <span className="text-soft">{words.even}</span>
  return (
    <span className={classNames('font-medium tabular-nums', tokens < 0 ? 'text-bad' : 'text-good')}>
      {tokens < 0 ? words.costs(common.tokensUnit(-tokens)) : common.tokensUnit(tokens)}
    </span>
  )
}
