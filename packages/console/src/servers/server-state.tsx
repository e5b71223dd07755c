import type { AdminServer } from '@tooldex/contract/admin'
import { StateBadge, type Tone } from '../parts/badge.tsx'
import { type Text, useText } from '../text/text.ts'

type State = keyof Text['servers']['states']

const TONES: Readonly<Record<State, Tone>> = {
  starting: 'accent',
  running: 'good',
  idle: 'neutral',
  stopped: 'neutral',
  failed: 'bad',
  'needs-login': 'warn',
  held: 'warn',
  unknown: 'neutral',
}

/** The state of a server as a badge. */
export function ServerState({ server }: { readonly server: Pick<AdminServer, 'status'> }) {
  const { servers: words } = useText()
  const state = server.status?.state ?? 'unknown'
  return (
    <StateBadge tone={TONES[state]} title={words.stateHints[state]}>
      {words.states[state]}
    </StateBadge>
  )
}
