import type { NavigateOptions } from '@tanstack/react-router'
import { type AdminRole, mayUse } from '@tooldex/contract/admin'
import {
  Boxes,
  Keyboard,
  KeyRound,
  Languages,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Plug,
  Plus,
  Server,
  Sun,
  Wrench,
} from 'lucide-react'
import { use, useDeferredValue } from 'react'
import { useApi } from '../api/queries.ts'
import { RoleContext } from '../parts/role.tsx'
import { useChooseLanguage } from '../text/text-provider.tsx'
import { type Language, LANGUAGES, type Text, useText } from '../text/text.ts'
import { NAVIGATION } from './navigation.ts'
import { useTheme } from './theme.ts'
import { useSignOut } from './session.tsx'

/** A page to open or an action to run. */
export interface Command {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly icon: LucideIcon
  readonly to?: NavigateOptions
  readonly run?: () => void
}

const MOST_OF_A_KIND = 6

/** The commands that match the typed text; tools by the gateway's search. Without text: pages and “new” actions. */
export function useCommands(typed: string, openHelp: () => void): readonly Command[] {
  const text = useText()
  const role = use(RoleContext)
  const { pages: names } = text.common
  const words = useDeferredValue(typed.trim())
  const servers = useApi('listServers', {}).data?.items ?? []
  const projects = useApi('listProjects', {}).data?.items ?? []
  const endpoints = useApi('listEndpoints', {}).data?.items ?? []
  const tokens = useApi('listTokens', {}).data?.items ?? []
  const preferences = usePreferenceCommands(openHelp)
  const tools = useApi('listTools', { query: { q: words, limit: '8' } }, { enabled: words !== '' }).data?.items ?? []
  const always = [...pagesIn(text), ...actionsIn(text, role)]
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

/** The actions that add something. */
function actionsIn(text: Text, role: AdminRole): readonly Command[] {
  const adding = [
    ['/servers', text.servers.add, 'createServer'],
    ['/projects', text.projects.create, 'createProject'],
    ['/endpoints', text.endpoints.create, 'createEndpoint'],
    ['/tokens', text.tokens.create, 'createToken'],
  ] as const
  return adding
    .filter(([, , needs]) => mayUse(role, needs))
    .map(([to, name]) => command('add', to, name, text.common.action, Plus, { to, search: { add: '1' } }))
}

function command(what: string, id: string, name: string, kind: string, icon: LucideIcon, to: NavigateOptions): Command {
  return { id: `${what} ${id}`, name, kind, icon, to }
}

function fitting(words: string, commands: readonly Command[]): readonly Command[] {
  const wanted = words.toLowerCase()
  const placed = commands
    .map((each) => ({ each, at: each.name.toLowerCase().indexOf(wanted) }))
    .filter(({ at }) => at >= 0)
  // A name that begins with the text is a better match than one that only contains it.
  const inOrder = placed.toSorted((a, b) => Math.sign(a.at) - Math.sign(b.at))
  return inOrder.slice(0, MOST_OF_A_KIND).map(({ each }) => each)
}

const THEMES = { light: Sun, dark: Moon, system: Monitor } as const

/** Theme, language, help and sign-out. */
function usePreferenceCommands(openHelp: () => void): readonly Command[] {
  const { common } = useText()
  const [, chooseTheme] = useTheme()
  const chooseLanguage = useChooseLanguage()
  const signOut = useSignOut()
  const kind = common.action
  return [
    { id: 'help', name: common.shortcuts.title, kind, icon: Keyboard, run: openHelp },
    ...(['light', 'dark', 'system'] as const).map((theme) => ({
      id: `theme ${theme}`,
      name: `${common.theme.title}: ${common.theme[theme]}`,
      kind,
      icon: THEMES[theme],
      run: () => chooseTheme(theme),
    })),
    ...Object.entries(LANGUAGES).map(([language, name]) => ({
      id: `language ${language}`,
      name: `${common.language}: ${name}`,
      kind,
      icon: Languages,
      run: () => chooseLanguage(language as Language),
    })),
    { id: 'sign-out', name: common.signOut, kind, icon: LogOut, run: signOut },
  ]
}
