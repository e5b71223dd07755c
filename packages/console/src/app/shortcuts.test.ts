import { expect, it } from 'vitest'
import { NAVIGATION } from './navigation.ts'
import { shortcutOf } from './shortcuts.ts'

it('opens every page with its own two-key shortcut', () => {
  expect(new Set(NAVIGATION.map(({ key }) => key)).size).toBe(NAVIGATION.length)
  for (const { key, to } of NAVIGATION) expect(shortcutOf(key, true)).toEqual({ do: 'go', to })
})

it('knows help and find, and ignores other keys', () => {
  expect(shortcutOf('?', false)).toEqual({ do: 'help' })
  expect(shortcutOf('/', false)).toEqual({ do: 'find' })
  expect(shortcutOf('g', false)).toEqual({ do: 'wait' })
  for (const key of ['h', 'Enter', 'Escape', ' ']) expect(shortcutOf(key, false)).toBeUndefined()
  expect(shortcutOf('?', true)).toBeUndefined()
})
