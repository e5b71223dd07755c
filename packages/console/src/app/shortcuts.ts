import { NAVIGATION, type NavigationEntry } from './navigation.ts'

/** What a key on its own asks for. */
export type ShortcutAsk =
  | { readonly do: 'help' }
  | { readonly do: 'find' }
  | { readonly do: 'go'; readonly to: NavigationEntry['to'] }
  /** The first of two keys. */
  | { readonly do: 'wait' }

/** What a key asks for, after another one or on its own; undefined for keys that mean nothing here. */
export function shortcutOf(key: string, isAfterG: boolean): ShortcutAsk | undefined {
  if (isAfterG) {
    const entry = NAVIGATION.find((each) => each.key === key)
    return entry === undefined ? undefined : { do: 'go', to: entry.to }
  }
  if (key === '?') return { do: 'help' }
  if (key === '/') return { do: 'find' }
  return key === 'g' ? { do: 'wait' } : undefined
}
