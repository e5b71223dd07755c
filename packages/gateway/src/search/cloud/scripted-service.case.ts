// A Search API on the loopback interface with scripted answers, good or bad.
import type { ServerResponse } from 'node:http'
import type { SearchApiRequest } from '@tooldex/contract/search-api'
import * as kit from '../../../../../test/kit/scripted-service.ts'

export { send } from '../../../../../test/kit/scripted-service.ts'

/** Answers a request. */
export type Behaviour = kit.Behaviour<SearchApiRequest>

/** A service that runs. */
export type ScriptedService = kit.ScriptedService<SearchApiRequest>

/** Finds every tool that it was sent, in that order. */
export const findsAll: Behaviour = ({ body }, res) =>
  sendResults(
    res,
    body.tools.map((tool, index) => ({ ...tool, relevance: 1 / (index + 1), explanation: 'it was sent' })),
  )

/** An answer with these results. */
export function sendResults(res: ServerResponse, results: readonly unknown[], more: object = {}): void {
  kit.send(res, 200, JSON.stringify({ results, answeredBy: 'hybrid', ...more }))
}

/** Starts a service, on a free port unless one is given. */
export function startScriptedService(behaviour: Behaviour = findsAll, port = 0): Promise<ScriptedService> {
  return kit.startService(behaviour, port)
}
