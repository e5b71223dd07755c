import { cleanText } from '@tooldex/http-kit/clean-text'
import { type EligibleTools, isAvailable } from '../access/eligible-tools.ts'
import type { CatalogServer } from '../catalog/catalog.ts'
import type { SearchAnswered, SearchAsk, SearchNotice } from './search-outcome.ts'

/** Together with the results a model reads these in every answer, so they are few and short. */
const MOST_NOTICES = 3
/** About 25 tokens. */
const LONGEST_NOTICE = 100
const LONGEST_NAME = 30

/** The notice of a project without a strategy. */
export const SEARCH_IS_OFF: SearchNotice = {
  code: 'SEARCH_OFF',
  text: 'Tool search is off for this project. An administrator can turn it on in its settings.',
}

/** The notice of a search that found nothing, not even something near. */
export const NOTHING_FITS = 'No tool seems to do this.'

/** What a search knows of its own answer. */
export interface AnswerFacts extends Omit<SearchAnswered, 'notices' | 'state'> {
  readonly ask: SearchAsk
  /** The searched tools. */
  readonly eligible: EligibleTools
  /** All tools of the caller; nothing outside of them, and of the servers beside them, is ever named. */
  readonly all: EligibleTools
  /** How many hits the threshold of the project left out. */
  readonly dropped: number
}

/**
 * Why an answer is empty or incomplete, and what can be done about it. An empty answer has at least one notice. This is the
 * only place that decides so; dialects, commands, the console and the audit log repeat it.
 */
export function searchNotices(facts: AnswerFacts): readonly SearchNotice[] {
  const { degraded, answeredBy } = facts
  const own = [
    ...absenceOf(facts),
    ...(degraded === undefined ? [] : [{ code: 'DEGRADED', text: substituteText(degraded, answeredBy) } as const]),
  ]
  return [...own, ...serverNotices(unsearchedServers(facts), MOST_NOTICES - own.length)]
}

function absenceOf(facts: AnswerFacts): readonly SearchNotice[] {
  const { ask, eligible, found, verdict, nearest, dropped } = facts
  if (found.length > 0 && verdict !== 'none') return []
  const { list, awaited, unavailable, holding, project } = eligible
  if (project.emptied !== undefined) {
    return [{ code: 'NO_PROJECT', text: `${project.emptied}. Name another one in _meta.projectId, or none.` }]
  }
  // The servers that cannot be searched are the reason.
  const isExplained = awaited.length + unavailable.length + holding.length > 0
  if (list.length === 0) return isExplained ? [] : [emptinessOf(facts)]
  if (found.length === 0 && ask.cursor !== undefined) return [LAST_PAGE]
  if (ask.queries.every((query) => query.trim() === '')) return found.length > 0 ? [] : [BLANK_QUERY]
  if (found.length === 0 && dropped > 0 && nearest !== undefined) {
    return [
      {
        code: 'BELOW_THRESHOLD',
        text: named('All hits are below the relevance threshold; the nearest is', nearest.key),
      },
    ]
  }
  const text = nearest === undefined ? NOTHING_FITS : named('No tool seems to do this; the nearest is', nearest.key)
  return [{ code: 'NOTHING_FITS', text }]
}

/** Why there is nothing to search. */
function emptinessOf({ ask, eligible, all }: AnswerFacts): SearchNotice {
  if (all.servers.length + all.unavailable.length === 0) return NO_SERVERS
  if (eligible.servers.length === 0) return noSuchServer(ask.servers ?? [], all)
  return ask.readOnly === true && all.list.length > 0 ? NO_READ_ONLY_TOOLS : NO_TOOLS
}

function noSuchServer(wanted: readonly string[], { servers, unavailable }: EligibleTools): SearchNotice {
  const start = `There is no server ${cleanText(wanted.join(', '), LONGEST_NAME)}. Servers here: `
  const names = [...servers, ...unavailable].map(({ name }) => cleanText(name, LONGEST_NAME))
  return { code: 'NO_SUCH_SERVER', text: `${start}${fitting(names, LONGEST_NOTICE - start.length - 1)}.` }
}

const NO_READ_ONLY_TOOLS: SearchNotice = {
  code: 'NO_READ_ONLY_TOOLS',
  text: 'No tool here is marked as read-only. Search again without readOnly.',
}
const LAST_PAGE: SearchNotice = { code: 'LAST_PAGE', text: 'There are no further results.' }
const NO_SERVERS: SearchNotice = {
  code: 'NO_SERVERS',
  text: 'There are no servers here that you may use. An administrator can add some.',
}
const NO_TOOLS: SearchNotice = { code: 'NO_TOOLS', text: 'The servers here have no tools that you may use.' }
const BLANK_QUERY: SearchNotice = { code: 'BLANK_QUERY', text: 'The query is blank. Write what the tool should do.' }

/** The same strategy answers with another embedder or, where an engine is away, from memory; or another strategy does. */
function substituteText({ strategy, reason }: { strategy: string; reason: string }, answeredBy: string): string {
  const [start, end] =
    strategy === answeredBy
      ? [`${strategy} search answered by a substitute (`, ').']
      : [`${strategy} search could not answer (`, `); ${answeredBy} answered instead.`]
  return `${start}${cleanText(reason, Math.max(10, LONGEST_NOTICE - start.length - end.length))}${end}`
}

/**
 * The servers of the caller that might have answered. One that was stopped on purpose, and tools that are held, are missed
 * only by a poor answer.
 */
function unsearchedServers({ eligible, verdict }: AnswerFacts): readonly CatalogServer[] {
  const { awaited, unavailable, holding } = eligible
  if (verdict === 'found') return [...awaited, ...unavailable.filter(({ state }) => state !== 'stopped')]
  return [...awaited, ...unavailable, ...holding.filter((server) => !awaited.includes(server))]
}

interface StateText {
  readonly code: SearchNotice['code']
  readonly start: string
  readonly remedy: string
}

/** Why servers in a state cannot be searched, and the remedy; in the order of the notices. */
const STATE_TEXTS: ReadonlyMap<string, StateText> = new Map([
  ['starting', { code: 'SERVERS_STARTING', start: 'Still starting', remedy: 'Search again in a few seconds.' }],
  [
    'needs-login',
    { code: 'SERVERS_NEED_LOGIN', start: 'A login is missing', remedy: 'Ask an administrator to log in.' },
  ],
  ['failed', { code: 'SERVERS_FAILED', start: 'Failed', remedy: 'Try later, or ask an administrator.' }],
  ['held', { code: 'SERVERS_HELD', start: 'Held for approval', remedy: 'An administrator can review the change.' }],
  [
    'holding',
    { code: 'TOOLS_HELD', start: 'Has tools held for approval', remedy: 'An administrator can review them.' },
  ],
  ['stopped', { code: 'SERVERS_STOPPED', start: 'Stopped', remedy: 'An administrator can start it.' }],
])
const OTHER_STATE: StateText = { code: 'SERVERS_UNAVAILABLE', start: 'Not searched', remedy: 'Try again later.' }

/** The key of the text: servers that run and whose tools are unknown have failed to list them. */
function unsearchedState(server: CatalogServer): string {
  const { state, awaitedSince, toolsUnknown } = server
  if (awaitedSince !== undefined) return 'starting'
  if (toolsUnknown !== undefined) return 'failed'
  return isAvailable(server) ? 'holding' : state
}

/** One notice for each state; the last one names all servers that are left. */
function serverNotices(servers: readonly CatalogServer[], most: number): readonly SearchNotice[] {
  const byText = new Map<StateText, string[]>([...STATE_TEXTS.values(), OTHER_STATE].map((text) => [text, []]))
  for (const server of servers) {
    byText.get(STATE_TEXTS.get(unsearchedState(server)) ?? OTHER_STATE)?.push(cleanText(server.name, LONGEST_NAME))
  }
  const groups = [...byText].filter(([, names]) => names.length > 0)
  const single = groups.length > most ? groups.slice(0, most - 1) : groups
  const left = groups.slice(single.length).flatMap(([, names]) => names)
  const merged: readonly (readonly [StateText, string[]])[] = left.length === 0 ? [] : [[OTHER_STATE, left]]
  return [...single, ...merged].map(([text, names]) => ({ code: text.code, text: namesText(text, names) }))
}

function namesText({ start, remedy }: StateText, names: readonly string[]): string {
  const room = LONGEST_NOTICE - start.length - remedy.length - ': . '.length
  return `${start}: ${fitting(names, room)}. ${remedy}`
}

/** As many names as fit, and the number of the others. */
function fitting(names: readonly string[], room: number): string {
  for (let shown = names.length; shown > 1; shown--) {
    const text = [...names.slice(0, shown), ...moreThan(names.length - shown)].join(', ')
    if (text.length <= room) return text
  }
  return [names[0], ...moreThan(names.length - 1)].join(', ')
}

const moreThan = (count: number): readonly string[] => (count === 0 ? [] : [`${count} more`])

function named(start: string, key: string): string {
  return `${start} ${cleanText(key, LONGEST_NOTICE - start.length - ' .'.length)}.`
}
