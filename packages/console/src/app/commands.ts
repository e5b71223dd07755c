import type { NavigateOptions } from '@tanstack/react-router'
import { Boxes, type LucideIcon, Plug, Server, Wrench } from 'lucide-react'
import { useDeferredValue } from 'react'
import { useApi } from '../api/queries.ts'
import { useText } from '../text/text.ts'
import { NAVIGATION } from './navigation.ts'

/** A place to go to. */
export interface Command {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly icon: LucideIcon
  readonly to: NavigateOptions
}

const MOST_OF_A_KIND = 6

/** The places that fit what was typed; tools by the product's own search. */
export function useCommands(typed: string): readonly Command[] {
  const { common } = useText()
  const words = useDeferredValue(typed.trim())
  const servers = useApi('listServers', {}).data?.items ?? []
  const projects = useApi('listProjects', {}).data?.items ?? []
  const endpoints = useApi('listEndpoints', {}).data?.items ?? []
  const tools = useApi('listTools', { query: { q: words, limit: '8' } }, { enabled: words !== '' }).data?.items ?? []
  const pages = NAVIGATION.map(
    ({ id, to, icon }): Command => ({ id, name: common.pages[id], kind: '', icon, to: { to } }),
  )
  const { pages: names } = common
  return [
    ...fitting(pages, words, words === '' ? NAVIGATION.length : MOST_OF_A_KIND),
    ...fitting(
      servers.map(
        ({ id, name }): Command => ({
          id: `server ${id}`,
          name,
          kind: names.servers,
          icon: Server,
          to: { to: '/servers/$server', params: { server: id } },
        }),
      ),
      words,
    ),
    ...fitting(
      projects.map(
        ({ id, name }): Command => ({
          id: `project ${id}`,
          name,
          kind: names.projects,
          icon: Boxes,
          to: { to: '/projects/$project', params: { project: id } },
        }),
      ),
      words,
    ),
    ...fitting(
      endpoints.map(
        ({ id }): Command => ({
          id: `endpoint ${id}`,
          name: id,
          kind: names.endpoints,
          icon: Plug,
          to: { to: '/endpoints/$endpoint', params: { endpoint: id } },
        }),
      ),
      words,
    ),
    ...tools.map(
      ({ key }): Command => ({
        id: `tool ${key}`,
        name: key,
        kind: names.tools,
        icon: Wrench,
        to: { to: '/tools/$tool', params: { tool: key } },
      }),
    ),
  ]
}

function fitting(commands: readonly Command[], words: string, most = MOST_OF_A_KIND): readonly Command[] {
  if (words === '') return commands.filter(({ kind }) => kind === '').slice(0, most)
  const wanted = words.toLowerCase()
  return commands.filter(({ name }) => name.toLowerCase().includes(wanted)).slice(0, most)
}
