import type { ServerPreview } from '@tooldex/contract/admin'
import type { ReactNode } from 'react'
import type { ApiProblem } from '../api/problem.ts'
import { Badge } from '../parts/badge.tsx'
import { classNames } from '../parts/class-names.ts'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { type Text, useText } from '../text/text.ts'
import { lineOf } from './pasted-lines.ts'
import { ValueFields, type Values } from './value-fields.tsx'

type Previewed = ServerPreview['items'][number]

interface PreviewedServerProps {
  readonly item: Previewed
  /** The pasted text. */
  readonly text: string
  readonly isAdded: boolean
  /** The reason why the gateway refused it. */
  readonly refusal: ApiProblem | undefined
  /** Selects a line of the text. */
  readonly onLine: (line: number) => void
  /** The values that were entered for it. */
  readonly values: Values
  readonly onValues: (values: Values) => void
}

/** A pasted entry: its command or URL, and its problems with their lines. */
export function PreviewedServer({ item, text, isAdded, refusal, onLine, values, onValues }: PreviewedServerProps) {
  const { servers: words } = useText()
  const problems = problemsOf(item, refusal, words)
  return (
    <li
      className={classNames(
        'rounded-xl border bg-sunken px-4 py-3 text-sm',
        problems.length > 0 ? 'border-bad/40' : 'border-line',
      )}
    >
      <p className="flex flex-wrap items-center gap-2 font-medium">
        <UntrustedText>{item.id}</UntrustedText>
        {item.transport !== undefined && <Badge>{item.transport}</Badge>}
        {isAdded && <Badge tone="good">{words.isAdded}</Badge>}
      </p>
      <ServerLines item={item} />
      {problems.length > 0 && (
        <ul className="mt-2 flex flex-col gap-1 text-[13px] text-bad">
          {problems.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <LineButton line={lineOf(text, item.id, path)} onLine={onLine} />
              <UntrustedText>{path === '' ? message : `${path}: ${message}`}</UntrustedText>
            </li>
          ))}
        </ul>
      )}
      {item.isNew && !isAdded && item.missingVariables.length > 0 && (
        <ValueFields names={item.missingVariables} inputs={item.inputs} values={values} onChange={onValues} />
      )}
      <ServerNotes notes={item.notes} ignoredKeys={item.ignoredKeys} />
    </li>
  )
}

interface ServerLinesProps {
  readonly item: Pick<Previewed, 'runs' | 'connects' | 'variables'>
  /** Further lines, each with its title. */
  readonly others?: readonly (readonly [title: string, text: string])[]
}

/** What a server runs or connects to, and the names of its variables. */
export function ServerLines({ item, others = [] }: ServerLinesProps) {
  const { servers: words } = useText()
  return (
    <dl className="mt-2 empty:hidden grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-[13px]">
      {item.runs !== undefined && <Line title={words.runs}>{item.runs}</Line>}
      {item.connects !== undefined && <Line title={words.connects}>{item.connects}</Line>}
      {item.variables.length > 0 && <Line title={words.variables}>{item.variables.join(', ')}</Line>}
      {others.map(([title, text]) => (
        <Line key={title} title={title}>
          {text}
        </Line>
      ))}
    </dl>
  )
}

interface ServerNotesProps {
  readonly notes: readonly string[]
  readonly ignoredKeys?: readonly string[]
}

/** What is not taken over from an entry. */
export function ServerNotes({ notes, ignoredKeys = [] }: ServerNotesProps) {
  const { servers: words } = useText()
  return (
    <>
      {notes.length > 0 && (
        <ul className="mt-2 flex flex-col gap-1 text-[13px] text-soft">
          {notes.map((note) => (
            <li key={note}>
              <UntrustedText>{note}</UntrustedText>
            </li>
          ))}
        </ul>
      )}
      {ignoredKeys.length > 0 && <p className="mt-2 text-[13px] text-soft">{words.ignored(ignoredKeys)}</p>}
    </>
  )
}

interface Wrong {
  readonly path: string
  readonly message: string
}

/** All problems of an entry, each once. */
function problemsOf(item: Previewed, refusal: ApiProblem | undefined, words: Text['servers']): readonly Wrong[] {
  const { isNew, problems } = item
  const refused = refusal?.problem.problems ?? (refusal === undefined ? [] : [{ path: '', message: refusal.message }])
  // The gateway also reports the duplicate id, without a path.
  const others = isNew ? problems : problems.filter(({ path }) => path !== '')
  return [...(isNew ? [] : [{ path: '', message: words.exists }]), ...others, ...refused]
}

function LineButton({ line, onLine }: { readonly line: number | undefined } & Pick<PreviewedServerProps, 'onLine'>) {
  const { servers: words } = useText()
  if (line === undefined) return null
  return (
    <>
      <button
        type="button"
        onClick={() => onLine(line)}
        className="cursor-pointer rounded font-medium underline decoration-bad/50 underline-offset-2 hover:decoration-bad"
      >
        {words.line(line)}
      </button>
      {' · '}
    </>
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
