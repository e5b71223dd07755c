import { describe, expect, it } from 'vitest'
import { promptNames } from './name-table.ts'
import { serverOf } from './snapshot.case.ts'

const rules = { separator: '__', dropPrefix: false, reserved: new Set<string>() } as const

describe('promptNames', () => {
  it('distinguishes the prompts of servers and resolves names to server and prompt', () => {
    const [a, b] = [serverOf({ id: 'a', prompts: ['review', 'sum'] }), serverOf({ id: 'b', prompts: ['review'] })]
    const { list, names } = promptNames([a, b], rules)
    expect(list.map((prompt) => names.nameOf(prompt))).toEqual(['a__review', 'a__sum', 'b__review'])
    expect(names.get('b__review')).toMatchObject({ server: b, name: 'review' })
    expect(names.get('review')).toBeUndefined()
  })

  it('leaves out prompts without a name and repeated names', () => {
    const server = { ...serverOf({ id: 'a' }), prompts: [{}, { name: '' }, { name: 'p', title: '1' }, { name: 'p' }] }
    const { list, names } = promptNames([server], rules)
    expect(list).toHaveLength(1)
    expect(names.get('a__p')?.definition).toEqual({ name: 'p', title: '1' })
  })
})
