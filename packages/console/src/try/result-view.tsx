import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import { Download } from 'lucide-react'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'

/** The result of a tool: text as text, the rest as JSON. Nothing of it is rendered, loaded or run. */
export function ResultView({ result }: { readonly result: JsonObject }) {
  const { tryIt: words } = useText()
  const blocks = Array.isArray(result['content']) ? (result['content'] as readonly unknown[]) : []
  return (
    <div className="flex flex-col gap-2.5">
      {result['isError'] === true && <Badge tone="bad">{words.failed}</Badge>}
      {blocks.map((block, place) => (
        <Block key={place} block={block} />
      ))}
      {result['structuredContent'] !== undefined && (
        <LargeText text={JSON.stringify(result['structuredContent'], null, 2)} what={words.output} />
      )}
      {blocks.length === 0 && result['structuredContent'] === undefined && (
        <LargeText text={JSON.stringify(result, null, 2)} what={words.result} />
      )}
    </div>
  )
}

function Block({ block }: { readonly block: unknown }) {
  const { tryIt: words } = useText()
  const { type, text, mimeType, data }: JsonObject = isRecord(block) ? block : {}
  if (type === 'text' && typeof text === 'string') return <LargeText text={text} what={words.result} />
  if ((type === 'image' || type === 'audio') && typeof data === 'string') {
    return (
      <p className="rounded-xl border border-line bg-sunken px-4 py-3 text-sm text-soft">
        {type === 'audio' ? words.audio : words.image} · <UntrustedText>{String(mimeType)}</UntrustedText> ·{' '}
        {Math.round((data.length * 3) / 4).toLocaleString()} B
      </p>
    )
  }
  return <LargeText text={JSON.stringify(block, null, 2)} what={words.resource} />
}

/** More text makes a page slow; the rest can be saved. */
const MOST_SHOWN = 100_000

function LargeText({ text, what }: { readonly text: string; readonly what: string }) {
  const { tryIt: words } = useText()
  if (text.length <= MOST_SHOWN) return <CodeBlock text={text} what={what} />
  return (
    <div className="flex flex-col gap-2">
      <CodeBlock text={text.slice(0, MOST_SHOWN)} what={what} />
      <div className="flex flex-wrap items-center gap-3 text-[13px] text-soft">
        {words.cutAt(MOST_SHOWN, text.length)}
        <Button size="small" icon={<Download size={14} aria-hidden />} onClick={() => save(text)}>
          {words.saveWhole}
        </Button>
      </div>
    </div>
  )
}

function save(text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  Object.assign(document.createElement('a'), { href, download: 'result.txt' }).click()
  URL.revokeObjectURL(href)
}
