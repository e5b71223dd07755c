import { useSyncExternalStore } from 'react'

/** The themes to choose from. */
export type ThemeChoice = 'light' | 'dark' | 'system'

const KEPT = 'tooldex.theme'
const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
const changed = new EventTarget()

/** The current choice, and a function that changes it. */
export function useTheme(): readonly [ThemeChoice, (choice: ThemeChoice) => void] {
  return [useSyncExternalStore(follow, chosen), choose]
}

function chosen(): ThemeChoice {
  const kept = localStorage.getItem(KEPT)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

function choose(choice: ThemeChoice): void {
  if (choice === 'system') localStorage.removeItem(KEPT)
  else localStorage.setItem(KEPT, choice)
  show()
  changed.dispatchEvent(new Event('change'))
}

function show(): void {
  const choice = chosen()
  const isDark = choice === 'dark' || (choice === 'system' && systemIsDark.matches)
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light'
}

function follow(listener: () => void): () => void {
  changed.addEventListener('change', listener)
  systemIsDark.addEventListener('change', show)
  return () => {
    changed.removeEventListener('change', listener)
    systemIsDark.removeEventListener('change', show)
  }
}
