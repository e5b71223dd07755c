import type { NavigateOptions } from '@tanstack/react-router'
import { Boxes, KeyRound, type LucideIcon, Plug, Plus, Server, Wrench } from 'lucide-react'
import { useDeferredValue } from 'react'
import { useApi } from '../api/queries.ts'
import { type Text, useText } from '../text/text.ts'
import { NAVIGATION } from './navigation.ts'
import { usePreferenceCommands } from './preference-commands.ts'

/** A place to go to, or something to do. */
export interface Command {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly icon: LucideIcon
  readonly to?: NavigateOptions
  readonly run?: () => void
}

const MOST_OF_A_KIND = 6

/** What fits what was typed; tools by the product's own search. Pages and what adds something before that. */
export function useCommands(typed: string, openHelp: () => void): readonly Command[] {
  const text = useText()
  const { pages: names } = text.common
  const words = useDeferredValue(typed.trim())
  const servers = useApi('listServers', {}).data?.items ?? []
  const projects = useApi('listProjects', {}).data?.items ?? []
  const endpoints = useApi('listEndpoints', {}).data?.items ?? []
  const tokens = useApi('listTokens', {}).data?.items ?? []
  const preferences = usePreferenceCommands(openHelp)
  const tools = useApi('listTools', { query: { q: words, limit: '8' } }, { enabled: words !== '' }).data?.items ?? []
  const always = [...pagesIn(text), ...actionsIn(text)]
  if (words === '') return always
  return [
    ...fitting(words, always),
    ...fitting(
      words,
      servers.map(({ id, name }) =>
        command('server', id, name, names.servers, Server, { to: '/servers/$server', params: { server: id } }),
      ),
    ),
    ...fitting(
      words,
      projects.map(({ id, name }) =>
        command('project', id, name, names.projects, Boxes, { to: '/projects/$project', params: { project: id } }),
      ),
    ),
    ...fitting(
      words,
      endpoints.map(({ id }) =>
        command('endpoint', id, id, names.endpoints, Plug, { to: '/endpoints/$endpoint', params: { endpoint: id } }),
      ),
    ),
    ...fitting(
      words,
      tokens.map(({ id, name }) =>
        command('token', id, name, names.tokens, KeyRound, { to: '/tokens/$token', params: { token: id } }),
      ),
    ),
    ...fitting(words, preferences),
    ...tools.map(({ key }) =>
      command('tool', key, key, names.tools, Wrench, { to: '/tools/$tool', params: { tool: key } }),
    ),
  ]
}

function pagesIn({ common }: Text): readonly Command[] {
  return NAVIGATION.map(({ id, to, icon }) => command('page', id, common.pages[id], '', icon, { to }))
}

/** What adds something, wherever one is. */
function actionsIn(text: Text): readonly Command[] {
  const adding = [
    ['/servers', text.servers.add],
    ['/projects', text.projects.create],
    ['/endpoints', text.endpoints.create],
    ['/tokens', text.tokens.create],
  ] as const
  return adding.map(([to, name]) => command('add', to, name, text.common.action, Plus, { to, search: { add: '1' } }))
}

function command(what: string, id: string, name: string, kind: string, icon: LucideIcon, to: NavigateOptions): Command {
  return { id: `${what} ${id}`, name, kind, icon, to }
}

function fitting(words: string, commands: readonly Command[]): readonly Command[] {
  const wanted = words.toLowerCase()
  const placed = commands
    .map((each) => ({ each, at: each.name.toLowerCase().indexOf(wanted) }))
    .filter(({ at }) => at >= 0)
  // What begins with it is meant more often than what only contains it.
  const inOrder = placed.toSorted((a, b) => Math.sign(a.at) - Math.sign(b.at))
  return inOrder.slice(0, MOST_OF_A_KIND).map(({ each }) => each)
}
