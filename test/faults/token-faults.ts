/** Tokens that end while their clients call. */
import { startPostgres } from '../kit/postgres.ts'
import { type Refusal, refusals } from '../kit/revocation.ts'
import { type Fault, promise, within } from './fault.ts'

const REFUSED_WITHIN_MS = 1_000

export const TOKEN_FAULTS: readonly Fault[] = [
  { name: 'token-ends', isQuick: false, run: async () => report(await refusals()) },
  {
    name: 'token-ends-postgres',
    isQuick: false,
    run: async () => {
      const server = await startPostgres()
      try {
        return report(await refusals(server.url))
      } finally {
        await server.stop()
      }
    },
  },
]

/** @throws Broken unless every request was refused and every call cut within a second */
function report(rows: readonly Refusal[]): string {
  const times = rows.map(({ transport, end, callMs, callError, nextMs }) => {
    promise(!callError.startsWith('answered'), `${transport} ${end}: the call was answered`)
    const what = `${transport} ${end}`
    return `${within(callMs, REFUSED_WITHIN_MS, `${what}: the call was cut after`)}, ${within(nextMs, REFUSED_WITHIN_MS, 'refused after')}`
  })
  return times.join('; ')
}
