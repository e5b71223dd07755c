import {
  Activity,
  Boxes,
  House,
  KeyRound,
  MessageSquareText,
  PiggyBank,
  Plug,
  Search,
  Server,
  Settings,
  ShieldCheck,
  Wrench,
  type LucideIcon,
} from 'lucide-react'
import type { Text } from '../text/text.ts'

/** A page in the navigation. */
export interface NavigationEntry {
  readonly id: keyof Text['common']['pages']
  readonly to:
    | '/'
    | '/servers'
    | '/tools'
    | '/projects'
    | '/endpoints'
    | '/tokens'
    | '/prompts'
    | '/review'
    | '/search'
    | '/audit'
    | '/savings'
    | '/settings'
  readonly icon: LucideIcon
  /** The key that opens it after `g`. */
  readonly key: string
}

/** The pages, in the order in which a new gateway is set up, then used. */
export const NAVIGATION: readonly NavigationEntry[] = [
  { id: 'home', to: '/', icon: House, key: 'h' },
  { id: 'servers', to: '/servers', icon: Server, key: 's' },
  { id: 'tools', to: '/tools', icon: Wrench, key: 't' },
  { id: 'projects', to: '/projects', icon: Boxes, key: 'p' },
  { id: 'endpoints', to: '/endpoints', icon: Plug, key: 'e' },
  { id: 'tokens', to: '/tokens', icon: KeyRound, key: 'k' },
  { id: 'prompts', to: '/prompts', icon: MessageSquareText, key: 'm' },
  { id: 'review', to: '/review', icon: ShieldCheck, key: 'r' },
  { id: 'search', to: '/search', icon: Search, key: 'f' },
  { id: 'audit', to: '/audit', icon: Activity, key: 'a' },
  { id: 'savings', to: '/savings', icon: PiggyBank, key: 'v' },
  { id: 'settings', to: '/settings', icon: Settings, key: 'c' },
]
