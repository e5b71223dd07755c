import type { ServerPreview } from '@tooldex/contract/admin'
import type { ReactNode } from 'react'
import { Badge } from '../parts/badge.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'

/** What one pasted entry would run or connect to, and what stands in the way. */
export function PreviewedServer({ item }: { readonly item: ServerPreview['items'][number] }) {
  const { servers: words } = useText()
  const problems = [
    ...(item.isNew ? [] : [words.exists]),
    ...(item.missingVariables.length === 0 ? [] : [words.missing(item.missingVariables)]),
    ...item.problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)),
  ]
  return (
    <li className="rounded-xl border border-line bg-sunken px-4 py-3 text-sm">
      <p className="flex flex-wrap items-center gap-2 font-medium">
        <UntrustedText>{item.id}</UntrustedText>
        {item.transport !== undefined && <Badge>{item.transport}</Badge>}
      </p>
      <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-[13px]">
        {item.runs !== undefined && <Line title={words.runs}>{item.runs}</Line>}
        {item.connects !== undefined && <Line title={words.connects}>{item.connects}</Line>}
        {item.variables.length > 0 && <Line title={words.variables}>{item.variables.join(', ')}</Line>}
      </dl>
      {problems.length > 0 && (
        <ul className="mt-2 list-disc pl-4 text-[13px] text-bad">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {item.ignoredKeys.length > 0 && <p className="mt-2 text-[13px] text-soft">{words.ignored(item.ignoredKeys)}</p>}
    </li>
  )
}

function Line({ title, children }: { readonly title: ReactNode; readonly children: string }) {
  return (
    <>
      <dt className="text-faint">{title}</dt>
      <dd className="min-w-0 font-mono">
        <UntrustedText>{children}</UntrustedText>
      </dd>
    </>
  )
}
