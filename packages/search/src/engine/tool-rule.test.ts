import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allowedByRule, type JudgedTool, TRAIT, traitsOf } from './tool-rule.ts'

const tool = (id: string, server: string, traits = 0): JudgedTool => ({ id, server, traits })
const everything = { tenant: 'all', servers: 'all', except: [] } as const

describe('a rule', () => {
  it('allows the tools of its servers, and those of no server with `all` alone', () => {
    const some = allowedByRule({ tenant: 'a', servers: ['git', ''], except: [] })
    expect([tool('git:log', 'git'), tool('mail:send', 'mail'), tool('alone', '')].filter(some)).toEqual([
      tool('git:log', 'git'),
    ])
    expect(allowedByRule(everything)(tool('alone', ''))).toBe(true)
  })

  it('leaves out what it excepts, also where an allow-list names it', () => {
    const check = allowedByRule({ ...everything, only: ['git:log', 'git:push'], except: ['git:push'] })
    expect(['git:log', 'git:push', 'git:pull'].filter((id) => check(tool(id, 'git')))).toEqual(['git:log'])
  })

  it('wants every trait that it names', () => {
    const { readOnly, notDestructive } = TRAIT
    const check = allowedByRule({ ...everything, traits: { readOnly: true, notDestructive: true } })
    const judged = [0, readOnly, notDestructive, readOnly | notDestructive].map((traits) =>
      check(tool('a', '', traits)),
    )
    expect(judged).toEqual([false, false, false, true])
  })

  it('never allows more than a rule with fewer conditions', () => {
    const ids = fc.subarray(['a:1', 'a:2', 'b:1'])
    const rule = fc.record({ servers: fc.subarray(['a', 'b']), only: ids, except: ids, readOnly: fc.boolean() })
    fc.assert(
      fc.property(rule, fc.constantFrom('a:1', 'a:2', 'b:1'), fc.integer({ min: 0, max: 3 }), (given, id, traits) => {
        const { servers, only, except, readOnly } = given
        const judged = tool(id, id.slice(0, 1), traits)
        const strict = { tenant: '', servers, only, except, ...(readOnly && { traits: { readOnly } as const }) }
        const expected =
          servers.includes(judged.server) &&
          only.includes(id) &&
          !except.includes(id) &&
          (!readOnly || traits % 2 === 1)
        expect(allowedByRule(strict)(judged)).toBe(expected)
      }),
    )
  })
})

describe('the traits of a definition', () => {
  it('are claimed by annotations that say so, and by no others', () => {
    const both = TRAIT.readOnly | TRAIT.notDestructive
    expect(traitsOf({ annotations: { readOnlyHint: true, destructiveHint: true } })).toBe(both)
    expect(traitsOf({ annotations: { destructiveHint: false } })).toBe(TRAIT.notDestructive)
    expect(traitsOf({ annotations: { readOnlyHint: 'yes' } })).toBe(0)
    expect(traitsOf({})).toBe(0)
  })
})
