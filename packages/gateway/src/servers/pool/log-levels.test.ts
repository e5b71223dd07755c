import { expect, it } from 'vitest'
import { LogLevels } from './log-levels.ts'

it('H20: asks the server for the most verbose level, and gives each session its own', () => {
  const levels = new LogLevels()
  expect(levels.level).toBeUndefined()
  levels.set('a', 'error')
  expect(levels.level).toBe('error')
  levels.set('b', 'debug')
  expect(levels.level).toBe('debug')
  expect(levels.admits('a', 'info')).toBe(false)
  expect(levels.admits('a', 'critical')).toBe(true)
  expect(levels.admits('b', 'debug')).toBe(true)
  expect(levels.admits('c', 'debug')).toBe(true)
  levels.remove('b')
  expect(levels.level).toBe('error')
})

it('ignores a level that does not exist', () => {
  const levels = new LogLevels()
  levels.set('a', 'loud')
  expect(levels.level).toBeUndefined()
  expect(levels.admits('a', 'unknown')).toBe(true)
})
