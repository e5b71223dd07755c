import { describe, expect, it } from 'vitest'
import { nearest } from './nearest.ts'

describe('nearest', () => {
  it.each([
    ['comand', ['args', 'command'], 'command'],
    ['ocmmand', ['args', 'command'], 'command'],
    ['tool_permissions', ['toolPermissions'], 'toolPermissions'],
    ['URL', ['url'], 'url'],
    ['args', ['arg', 'args'], 'args'],
  ])('finds for %s in %j: %s', (word, candidates, meant) => {
    expect(nearest(word, candidates)).toBe(meant)
  })

  it('suggests nothing that is far away', () => {
    expect(nearest('banana', ['command', 'url'])).toBeUndefined()
    expect(nearest('x', ['y'])).toBeUndefined()
    expect(nearest('x', [])).toBeUndefined()
  })
})
