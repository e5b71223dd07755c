import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { NAVIGATION, type NavigationEntry } from './navigation.ts'

const KEPT = 'tooldex.shortcuts'
/** The second of two keys has to follow within this time. */
const TOGETHER_MS = 1_500

interface Shortcuts {
  /** Keys on their own can be in the way of speech input and slips, so that they can be turned off. */
  readonly areOn: boolean
  readonly turn: (areOn: boolean) => void
}

/** Ctrl or ⌘ with K opens the palette from anywhere; single keys do where nobody is typing. */
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

/** Into the page’s own search, where it has one. */
function find(openPalette: () => void): void {
  const field = document.querySelector<HTMLElement>('main input[type=search], main textarea[name=query]')
  if (field === null) openPalette()
  else field.focus()
}

/** A key that is meant for a field, for a dialog, or for the browser. */
function isTyping(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true
  const { target } = event
  return target instanceof Element && target.closest('input, textarea, select, [role=dialog], [role=menu]') !== null
}

/** What a key on its own asks for. */
type ShortcutAsk =
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
