import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { processorMs } from '../../../../test/kit/processor-time.ts'
import { type EligibleTools, eligibleTools } from './eligible-tools.ts'
import { type GatewayError } from '../errors.ts'
import { exposedNames } from './exposed-names.ts'
import type { NamingRules } from '../catalog/name-table.ts'
import { resolveTool } from './resolve-tool.ts'
import { principalOf, projectOf, type ServerSketch, snapshotOf } from '../catalog/snapshot.case.ts'

const RULES: NamingRules = { separator: '__', dropPrefix: false, reserved: new Set(['tool_execute']) }

function eligibleOf(sketches: readonly ServerSketch[]): EligibleTools {
  const project = projectOf(
    'p',
    sketches.map(({ id }) => id),
  )
  return eligibleTools(principalOf(), project, new Map(), snapshotOf(sketches))
}

function resolverOf(sketches: readonly ServerSketch[], rules = RULES): (text: string) => string {
  const eligible = eligibleOf(sketches)
  const names = exposedNames(eligible, rules)
  return (text) => resolveTool(text, eligible, names).key
}

function failureOf(work: () => unknown): GatewayError {
  try {
    work()
  } catch (error) {
    return error as GatewayError
  }
  throw new Error('it did not fail')
}

describe('resolveTool', () => {
  const resolve = resolverOf([
    { id: 's1', name: 'GitHub', tools: ['create_issue', 'a:b', 'tool_execute'] },
    { id: 's2', name: 'My Files', tools: ['read file'] },
  ])

  it.each([
    ['s1:create_issue', 's1:create_issue'],
    ['GitHub:create_issue', 's1:create_issue'],
    ['github:create_issue', 's1:create_issue'],
    ['GitHub__create_issue', 's1:create_issue'],
    ['GITHUB__create_issue', 's1:create_issue'],
    ['GitHub___create_issue', 's1:create_issue'],
    ['s1:a:b', 's1:a:b'],
    ['github:a:b', 's1:a:b'],
    ['s1:tool_execute', 's1:tool_execute'],
    ['GitHub__tool_execute', 's1:tool_execute'],
    ['My_Files__read_file', 's2:read file'],
    ['my files:read file', 's2:read file'],
    ['my_files___read file', 's2:read file'],
  ])('[R34] resolves %s to %s', (text, key) => {
    expect(resolve(text)).toBe(key)
  })

  it.each([
    'create_issue',
    's1__create_issue',
    'GitHub__CREATE_ISSUE',
    'GitHub:',
    ':',
    '',
    'tool_execute',
    '__proto__',
  ])('resolves %j to no tool', (text) => {
    expect(failureOf(() => resolve(text)).code).toBe('TOOL_NOT_FOUND')
  })

  it('[R34] lists the candidates of an ambiguous name', () => {
    const ambiguous = resolverOf([
      { id: 's1', name: 'Web', tools: ['open'] },
      { id: 's2', name: 'web', tools: ['open'] },
    ])
    const failure = failureOf(() => ambiguous('WEB:open'))
    expect(failure.code).toBe('TOOL_AMBIGUOUS')
    expect(failure.details['candidates']).toEqual(['s1:open', 's2:open'])
    expect(ambiguous('Web__open')).toBe('s1:open')
    expect(ambiguous('s2:open')).toBe('s2:open')
  })

  it('resolves a key exactly, even if another server has a similar name', () => {
    const shadowed = resolverOf([
      { id: 'bank', name: 'Bank', tools: ['pay'] },
      { id: 'evil', name: 'bank', tools: ['pay'] },
    ])
    expect(shadowed('bank:pay')).toBe('bank:pay')
  })

  it('[R37] suggests similar names, of eligible tools only', () => {
    const failure = failureOf(() => resolve('GitHub__create_isue'))
    expect(failure.details['near']).toEqual(['GitHub__create_issue'])
    expect(failure.message).toContain('GitHub__create_issue')
    expect(failureOf(() => resolve('qqq')).details['near']).toEqual([])
  })

  it('shows the given name shortened and with invisible characters escaped', () => {
    const failure = failureOf(() => resolve(`\u001b[31m\n${'x'.repeat(100_000)}`))
    expect(failure.message.length).toBeLessThan(600)
    expect(failure.message).not.toContain('\u001b')
    expect(failure.message).not.toContain('\n')
  })

  it('[M6] finds every tool by its exposed name and by its key, for any names', () => {
    const word = fc.oneof(
      fc.stringMatching(/^[abAB_: ]{1,6}$/),
      fc.constantFrom('__proto__', 'tool_execute', 'é', 'x'.repeat(70)),
    )
    const server = fc.record({ name: word, tools: fc.uniqueArray(word, { maxLength: 4 }) })
    const rules = fc.record({
      separator: fc.constantFrom('__' as const, '___' as const),
      dropPrefix: fc.boolean(),
      reserved: fc.constant(RULES.reserved),
    })
    fc.assert(
      fc.property(fc.array(server, { maxLength: 4 }), rules, (servers, how) => {
        const eligible = eligibleOf(servers.map((sketch, at) => ({ id: `s${at}`, ...sketch })))
        const names = exposedNames(eligible, how)
        for (const tool of eligible.list) {
          expect(resolveTool(names.nameOf(tool) ?? '', eligible, names)).toBe(tool)
          expect(resolveTool(tool.key, eligible, names)).toBe(tool)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('never resolves a text to a tool that is not eligible', () => {
    const sketches = [
      { id: 'mine', name: 'Mine', tools: ['a', 'b'] },
      { id: 'theirs', name: 'Theirs', tools: ['a', 'secret'] },
    ]
    const project = projectOf('p', ['mine', 'theirs'])
    const principal = principalOf({ servers: new Set(['mine']) })
    const eligible = eligibleTools(principal, project, new Map([['mine', { b: false }]]), snapshotOf(sketches))
    const names = exposedNames(eligible, RULES)
    for (const text of [
      'theirs:secret',
      'Theirs__secret',
      'THEIRS:secret',
      'mine:b',
      'Mine__b',
      'Mine___b',
      'secret',
    ]) {
      const failure = failureOf(() => resolveTool(text, eligible, names))
      expect(failure.code).toBe('TOOL_NOT_FOUND')
      expect(failure.details['near']).not.toContain('Theirs__secret')
    }
  })

  it('suggests similar names among ten thousand tools quickly', async () => {
    const tools = Array.from({ length: 10_000 }, (_, at) => `tool_number_${at}`)
    const many = resolverOf([{ id: 's', tools }])
    const ms = await processorMs(() => {
      expect(failureOf(() => many('s__tool_nummer_9999')).code).toBe('TOOL_NOT_FOUND')
    })
    expect(ms).toBeLessThan(1_000)
  })
})
