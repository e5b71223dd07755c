import type { ReviewItem } from '@tooldex/contract/admin'
import { describe, expect, it } from 'vitest'
import { byServer, decidable, isAlarming } from './review-groups.ts'

const item = (server: string, name: string, more: Partial<ReviewItem> = {}): ReviewItem => ({
  server,
  serverName: server.toUpperCase(),
  kind: 'tool',
  name,
  state: 'held',
  hash: `${server}-${name}`,
  isNew: false,
  isServed: true,
  since: 0,
  reasons: [],
  diff: [],
  ...more,
})

describe('the review page', () => {
  it('groups definitions by server and keeps their order', () => {
    const groups = byServer([item('b', 'two'), item('a', 'one'), item('b', 'one')])
    expect(groups.map(({ server, name, items }) => [server, name, ...items.map((each) => each.name)])).toEqual([
      ['b', 'B', 'two', 'one'],
      ['a', 'A', 'one'],
    ])
  })

  it('approves a definition that would be blocked only by itself', () => {
    const reason = { rule: 'concealment', message: 'It hides something.' }
    expect(isAlarming(item('a', 'one', { reasons: [{ ...reason, severity: 'hold' }] }))).toBe(false)
    expect(isAlarming(item('a', 'one', { reasons: [{ ...reason, severity: 'block' }] }))).toBe(true)
  })

  it('decides about the definition that was shown', () => {
    expect(decidable([item('a', 'one')])).toEqual([{ server: 'a', kind: 'tool', name: 'one', hash: 'a-one' }])
  })
})
