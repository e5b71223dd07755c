import {
  Activity,
  Boxes,
  House,
  KeyRound,
  PiggyBank,
  Plug,
  Search,
  Server,
  Settings,
  Wrench,
  type LucideIcon,
} from 'lucide-react'
import type { Text } from '../text/text.ts'

/** A page that is always one click away. */
export interface NavigationEntry {
  readonly id: keyof Text['common']['pages']
  readonly to:
    | '/'
    | '/servers'
    | '/tools'
    | '/projects'
    | '/endpoints'
    | '/tokens'
    | '/search'
    | '/audit'
    | '/savings'
    | '/settings'
  readonly icon: LucideIcon
}

/** The pages, in the order in which a new gateway is set up, then used. */
export const NAVIGATION: readonly NavigationEntry[] = [
  { id: 'home', to: '/', icon: House },
  { id: 'servers', to: '/servers', icon: Server },
  { id: 'tools', to: '/tools', icon: Wrench },
  { id: 'projects', to: '/projects', icon: Boxes },
  { id: 'endpoints', to: '/endpoints', icon: Plug },
  { id: 'tokens', to: '/tokens', icon: KeyRound },
  { id: 'search', to: '/search', icon: Search },
  { id: 'audit', to: '/audit', icon: Activity },
  { id: 'savings', to: '/savings', icon: PiggyBank },
  { id: 'settings', to: '/settings', icon: Settings },
]
