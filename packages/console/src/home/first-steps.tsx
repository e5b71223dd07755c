import { Link } from '@tanstack/react-router'
import type { Overview } from '@tooldex/contract/admin'
import { Boxes, CircleCheck, KeyRound, Plug, Server } from 'lucide-react'
import { Card } from '../parts/page.tsx'
import { useText } from '../text/text.ts'

/** The way from an empty gateway to the first search. */
export function FirstSteps({ overview }: { readonly overview: Overview }) {
  const { home: words } = useText()
  const steps = [
    { ...words.steps.server, icon: Server, to: '/servers', search: { add: '1' }, isDone: overview.servers.all > 0 },
    { ...words.steps.project, icon: Boxes, to: '/projects', search: {}, isDone: false },
    { ...words.steps.token, icon: KeyRound, to: '/tokens', search: {}, isDone: overview.tokens.client > 0 },
    { ...words.steps.connect, icon: Plug, to: '/endpoints', search: {}, isDone: false },
  ] as const
  return (
    <Card title={words.start}>
      <p className="px-5 pt-4 text-sm text-soft">{words.startLead}</p>
      <ol className="grid gap-3 p-5 sm:grid-cols-2 xl:grid-cols-4">
        {steps.map(({ title, text, icon: Icon, to, search, isDone }) => (
          <li key={title}>
            <Link
              to={to}
              search={search}
              className="flex h-full flex-col gap-2 rounded-xl border border-line p-4 text-sm transition-colors hover:border-accent"
            >
              <span className="flex items-center gap-2 font-medium">
                <Icon size={17} className="text-accent" aria-hidden />
                {title}
                {isDone && <CircleCheck size={16} className="ml-auto text-good" aria-label={words.done} />}
              </span>
              <span className="text-soft">{text}</span>
            </Link>
          </li>
        ))}
      </ol>
    </Card>
  )
}
