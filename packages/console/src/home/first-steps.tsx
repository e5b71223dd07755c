import { Link } from '@tanstack/react-router'
import type { Overview } from '@tooldex/contract/admin'
import { Boxes, CircleCheck, KeyRound, Plug, Server } from 'lucide-react'
import { useApi } from '../api/queries.ts'
import { classNames } from '../parts/class-names.ts'
import { Card } from '../parts/page.tsx'
import { useText } from '../text/text.ts'

/** The way from an empty gateway to the first agent; there until it was gone. */
export function FirstSteps({ overview }: { readonly overview: Overview }) {
  const { home: words } = useText()
  const isConnected = useIsConnected()
  const steps = [
    { ...words.steps.server, icon: Server, to: '/servers', search: { add: '1' }, isDone: overview.servers.all > 0 },
    { ...words.steps.project, icon: Boxes, to: '/projects', search: {}, isDone: overview.projects > 1 },
    { ...words.steps.token, icon: KeyRound, to: '/tokens', search: { add: '1' }, isDone: overview.tokens.client > 0 },
    { ...words.steps.connect, icon: Plug, to: '/endpoints', search: {}, isDone: isConnected === true },
  ] as const
  const isUnderWay = overview.servers.all === 0 || overview.tokens.client === 0 || isConnected === false
  if (!isUnderWay) return null
  const next = steps.findIndex(({ isDone }) => !isDone)
  return (
    <Card title={words.start}>
      <p className="px-5 pt-4 text-sm text-soft">{words.startLead}</p>
      <ol className="grid gap-3 p-5 sm:grid-cols-2 xl:grid-cols-4">
        {steps.map(({ title, text, icon: Icon, to, search, isDone }, place) => (
          <li key={title}>
            <Link
              to={to}
              search={search}
              className={classNames(
                'flex h-full flex-col gap-2 rounded-xl border p-4 text-sm transition-colors hover:border-accent',
                place === next ? 'border-accent bg-accent-soft/50' : 'border-line',
              )}
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

/** Whether an agent was ever here; undefined while nobody knows. */
function useIsConnected(): boolean | undefined {
  const savings = useApi('getSavings', {}).data
  const tokens = useApi('listTokens', {}).data
  if (savings === undefined || tokens === undefined) return undefined
  return (
    savings.total.lists > 0 ||
    tokens.items.some(({ kind, lastUsedAt }) => kind === 'client' && lastUsedAt !== undefined)
  )
}
