import { Badge } from '../parts/badge.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'

type Json = Readonly<Record<string, unknown>>

/** What a tool answered: text as text, the rest as JSON. Nothing of it is rendered, loaded or run. */
export function ResultView({ result }: { readonly result: Json }) {
  const { tools: words } = useText()
  const blocks = Array.isArray(result['content']) ? (result['content'] as readonly unknown[]) : []
  return (
    <div className="flex flex-col gap-2.5">
      {result['isError'] === true && <Badge tone="bad">{words.failed}</Badge>}
      {blocks.map((block, place) => (
        <Block key={place} block={block} />
      ))}
      {result['structuredContent'] !== undefined && (
        <CodeBlock text={JSON.stringify(result['structuredContent'], null, 2)} what={words.output} />
      )}
      {blocks.length === 0 && result['structuredContent'] === undefined && (
        <CodeBlock text={JSON.stringify(result, null, 2)} what={words.result} />
      )}
    </div>
  )
}

function Block({ block }: { readonly block: unknown }) {
  const { tools: words } = useText()
  const { type, text, mimeType, data } = (typeof block === 'object' && block !== null ? block : {}) as Json
  if (type === 'text' && typeof text === 'string') return <CodeBlock text={text} what={words.result} />
  if ((type === 'image' || type === 'audio') && typeof data === 'string') {
    return (
      <p className="rounded-xl border border-line bg-sunken px-4 py-3 text-sm text-soft">
        {type === 'audio' ? words.audio : words.image} · <UntrustedText>{String(mimeType)}</UntrustedText> ·{' '}
        {Math.round((data.length * 3) / 4).toLocaleString()} B
      </p>
    )
  }
  return <CodeBlock text={JSON.stringify(block, null, 2)} what={words.resource} />
}
