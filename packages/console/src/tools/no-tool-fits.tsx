import { SearchX, X } from 'lucide-react'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/states.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import type { ToolFilterName } from './tool-filter.ts'

interface NoToolFitsProps {
  readonly asked: string
  readonly filters: readonly { readonly name: ToolFilterName; readonly text: string }[]
  readonly onDrop: (name: ToolFilterName) => void
  readonly onClear: () => void
}

/** Says what was looked for and by which filters, and takes them away one by one or all together. */
export function NoToolFits({ asked, filters, onDrop, onClear }: NoToolFitsProps) {
  const { tools: words } = useText()
  return (
    <EmptyState
      icon={<SearchX size={24} aria-hidden />}
      title={asked === '' ? words.noFit : words.noFitFor(asked)}
      action={
        <Button kind="primary" size="small" onClick={onClear}>
          {filters.length === 0 ? words.clearWords : words.clearAll}
        </Button>
      }
    >
      {filters.length === 0 ? (
        words.noFitHint
      ) : (
        <>
          <p>{words.filtersOn}</p>
          <ul className="mt-3 flex flex-wrap justify-center gap-2" aria-label={words.filtersOn}>
            {filters.map(({ name, text }) => (
              <li key={name}>
                <button
                  type="button"
                  aria-label={words.drop(text)}
                  onClick={() => onDrop(name)}
                  className="inline-flex h-8 cursor-pointer items-center gap-1.5 rounded-full border border-accent/40 bg-accent-soft px-3 text-[13px] font-medium text-accent-strong hover:border-accent"
                >
                  <UntrustedText most={60}>{text}</UntrustedText>
                  <X size={14} aria-hidden />
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </EmptyState>
  )
}
