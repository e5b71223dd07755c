import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { NAVIGATION, type NavigationEntry } from './navigation.ts'

const KEPT = 'tooldex.shortcuts'
/** The second of two keys must follow within this time. */
const TOGETHER_MS = 1_500

interface Shortcuts {
  /** Single keys can interfere with speech input, so people can turn them off. */
  readonly areOn: boolean
  readonly turn: (areOn: boolean) => void
}

/** Ctrl+K or ⌘K opens the palette anywhere; single keys work outside of fields. */
export function useShortcuts(openPalette: () => void, openHelp: () => void): Shortcuts {
  const [areOn, setAreOn] = useState(() => localStorage.getItem(KEPT) !== 'off')
  const navigate = useNavigate()
  useEffect(() => {
    let gAt = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        openPalette()
        return
      }
      if (!areOn || isTyping(event)) return
      const asked = shortcutOf(event.key, event.timeStamp - gAt < TOGETHER_MS)
      gAt = asked?.do === 'wait' ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (asked === undefined) return
      event.preventDefault()
      if (asked.do === 'help') openHelp()
      if (asked.do === 'find') find(openPalette)
      if (asked.do === 'go') void navigate({ to: asked.to })
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [areOn, navigate, openPalette, openHelp])
  const turn = (next: boolean): void => {
    localStorage.setItem(KEPT, next ? 'on' : 'off')
    setAreOn(next)
  }
  return { areOn, turn }
}

/** Focuses the search field of the page, or opens the palette if it has none. */
function find(openPalette: () => void): void {
  const field = document.querySelector<HTMLElement>('main input[type=search], main textarea[name=query]')
  if (field === null) openPalette()
  else field.focus()
}

const TYPED_INTO = 'input, textarea, select, [contenteditable=true], [role=dialog], [role=menu]'

/** Whether the key belongs to a field, a dialog or the browser. */
function isTyping(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true
  const { target } = event
  return target instanceof Element && target.closest(TYPED_INTO) !== null
}

/** The action of a key. */
type ShortcutAsk =
  | { readonly do: 'help' }
  | { readonly do: 'find' }
  | { readonly do: 'go'; readonly to: NavigationEntry['to'] }
  /** The first of two keys. */
  | { readonly do: 'wait' }

/** The action of a key, alone or after `g`; undefined if it has none. */
export function shortcutOf(key: string, isAfterG: boolean): ShortcutAsk | undefined {
  if (isAfterG) {
    const entry = NAVIGATION.find((each) => each.key === key)
    return entry === undefined ? undefined : { do: 'go', to: entry.to }
  }
  if (key === '?') return { do: 'help' }
  if (key === '/') return { do: 'find' }
  return key === 'g' ? { do: 'wait' } : undefined
}
