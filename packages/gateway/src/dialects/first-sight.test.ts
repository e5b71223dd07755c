import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eligibleTools } from '../access/eligible-tools.ts'
import { principalOf, projectOf, type ServerSketch, snapshotOf } from '../catalog/snapshot.case.ts'
import type { Principal } from '../model/principal.ts'
import { instructionsWith, serversLine } from './first-sight.ts'

const CHARACTERS_PER_TOKEN = 4

function eligibleOf(servers: readonly ServerSketch[], principal: Partial<Principal> = {}) {
  const project = projectOf(
    'p',
    servers.map(({ id }) => id),
  )
  return eligibleTools(principalOf(principal), project, new Map(), snapshotOf(servers))
}

describe('the line about servers', () => {
  it('[U9] says what each is for: by its configuration, its instructions or its tools, in the order of the project', () => {
    const servers: ServerSketch[] = [
      { id: 'tracker', description: 'Issues of the team.', instructions: 'Never mind.', tools: ['create'] },
      { id: 'bank', instructions: `Accounts\u202e and\npayments. ${'Read this manual. '.repeat(20)}`, tools: ['pay'] },
      { id: 'files', tools: ['read_file', 'write_file'] },
      { id: 'slow', state: 'starting', awaitedSince: 1 },
    ]
    const line =
      'Connected servers: tracker (Issues of the team); bank (Accounts and payments); files (read_file, write_file); slow.'
    expect(serversLine(eligibleOf(servers), false)).toBe(line)
    expect(serversLine(eligibleOf(servers), true)).toContain('bank (Accounts and payments. Read this manual. Read')
  })

  it('[U9] names only servers that the caller can use', () => {
    const servers: ServerSketch[] = [
      { id: 'mine', tools: ['a'] },
      { id: 'other', tools: ['b'] },
      { id: 'failed', state: 'failed', tools: ['c'] },
      { id: 'empty' },
    ]
    expect(serversLine(eligibleOf(servers, { servers: new Set(['mine', 'failed', 'empty']) }), false)).toBe(
      'Connected servers: mine (a).',
    )
    expect(serversLine(eligibleOf([]), false)).toBeUndefined()
  })

  it('[U9] stays within 300 tokens on one line, however many servers there are and whatever they say', () => {
    const sketch = fc.record({
      name: fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' }),
      instructions: fc.option(fc.string({ maxLength: 3_000, unit: 'binary' }), { nil: undefined }),
      description: fc.option(fc.string({ minLength: 1, maxLength: 500 }), { nil: undefined }),
      tools: fc.constant(['do_this', 'do_that']),
    })
    fc.assert(
      fc.property(fc.array(sketch, { maxLength: 120 }), fc.boolean(), (sketches, isOnlyChance) => {
        const servers = sketches.map(({ instructions, description, ...rest }, at) => ({
          ...rest,
          id: `s${at}`,
          ...(instructions !== undefined && { instructions }),
          ...(description !== undefined && { description }),
        }))
        const line = serversLine(eligibleOf(servers), isOnlyChance) ?? ''
        expect(line.length / CHARACTERS_PER_TOKEN).toBeLessThan(250)
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
        expect(serversLine(eligibleOf(servers), isOnlyChance) ?? '').toBe(line)
      }),
      { numRuns: 60 },
    )
  })
})

describe('the instructions of servers in an answer', () => {
  const manual = 'Always ask for the account first. '.repeat(10)
  const servers: ServerSketch[] = [
    { id: 'bank', instructions: manual, tools: ['pay', 'check'] },
    { id: 'mail', instructions: 'Mail.', tools: ['send'] },
    { id: 'phone', instructions: `${manual}Then call.`, tools: ['call'] },
  ]
  const eligible = eligibleOf(servers)
  const found = eligible.list.map((tool) => ({ tool, relevance: 1 }))
  const given = (told: ReadonlySet<string> | undefined, detail: 'summary' | 'full' = 'summary') =>
    instructionsWith(
      found.toSorted((one, other) => (one.tool.key < other.tool.key ? 1 : -1)),
      { eligible, detail, told },
    )

  it('[U9] come once in a session, with a first hit, one server at a time', () => {
    expect(given(new Set()).serverIds).toEqual(['phone'])
    expect(given(new Set(['phone'])).serverIds).toEqual(['bank'])
    expect(given(new Set(['phone', 'bank'])).serverIds).toEqual([])
    expect(instructionsWith(found, { eligible, detail: 'summary', told: new Set() })).toEqual({
      serverIds: ['bank'],
      texts: { bank: manual.trim() },
    })
  })

  it('[U9] come with every full answer without a session, and with no other', () => {
    expect(given(undefined)).toEqual({ texts: {}, serverIds: [] })
    expect(given(undefined, 'full').serverIds).toEqual(['phone', 'bank'])
    expect(given(undefined, 'full')).toEqual(given(undefined, 'full'))
  })

  it('leave out a sentence that the first sight had already', () => {
    const mail = found.filter(({ tool }) => tool.serverId === 'mail')
    expect(instructionsWith(mail, { eligible, detail: 'full', told: undefined }).serverIds).toEqual([])
  })
})
