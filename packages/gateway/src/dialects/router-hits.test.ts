import { describe, expect, it } from 'vitest'
import { eligibleTools } from '../access/eligible-tools.ts'
import { exposedNames } from '../access/exposed-names.ts'
import { principalOf, projectOf, type ServerSketch, snapshotOf } from '../catalog/snapshot.case.ts'
import type { SearchAsk } from '../search/search-outcome.ts'
import { FULL_TOKENS, routerHits } from './router-hits.ts'

type Shown = Readonly<Record<string, unknown>> & { readonly signature?: string; readonly description?: string }

function shown(servers: readonly ServerSketch[], ask: Partial<SearchAsk> = {}, callsByName = false): readonly Shown[] {
  const project = projectOf(
    'p',
    servers.map(({ id }) => id),
  )
  const eligible = eligibleTools(principalOf(), project, new Map(), snapshotOf(servers))
  const names = exposedNames(eligible, { separator: '__', dropPrefix: false, reserved: new Set() })
  const found = eligible.list.map((tool, rank) => ({ tool, relevance: 1 / (rank + 1) }))
  return routerHits(found, { detail: 'summary', ...ask }, { eligible, names, callsByName, listGrows: false })
}

const properties = (count: number, description?: string) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `parameter_${at}`,
      { type: 'string', ...(description !== undefined && { description }) },
    ]),
  )
const many = (count: number, parameters: number, words = 'Does something special') => ({
  id: 'server',
  tools: Array.from({ length: count }, (_, at) => ({
    name: `tool_${at}`,
    description: `${words} for case ${at}. It has a long manual. `.repeat(5),
    inputSchema: { type: 'object' as const, properties: properties(parameters), required: ['parameter_0'] },
  })),
})
/** Four characters to a token, as the rest of the gateway counts. */
const tokensOf = (hits: readonly Shown[]): number => JSON.stringify(hits).length / 4

describe('a summary', () => {
  it('[R11] has complete schemas for the best three and short signatures for the others', () => {
    const hits = shown([many(8, 6)])
    for (const { signature } of hits.slice(0, 3)) expect(signature).toMatch(/parameter_5\?: string\)$/)
    for (const { signature } of hits.slice(3)) expect(signature).toMatch(/^\(parameter_0: string, .*…\d optional\)$/)
    expect(hits.every(({ description }) => description?.startsWith('Does something special'))).toBe(true)
  })

  it('[R11] aims at 600 tokens, has at least five hits, and never more than 1,200 tokens', () => {
    expect(shown([many(10, 1, 'Do it')])).toHaveLength(10)
    const large = shown([many(10, 80)])
    expect(large.length).toBeGreaterThanOrEqual(5)
    expect(tokensOf(large)).toBeLessThan(1_000)
    const middle = shown([many(10, 8)])
    expect(middle.length).toBeLessThan(10)
    expect(tokensOf(middle)).toBeLessThan(600)
  })

  it('shows as many hits as were asked for, beyond the tenth by name', () => {
    const hits = shown([many(40, 30)], { isLimitGiven: true })
    expect(hits).toHaveLength(40)
    expect(tokensOf(hits.slice(0, 10))).toBeLessThan(1_200)
    expect(Object.keys(hits[10] ?? {})).toEqual(['toolKey', 'toolName', 'serverName', 'relevance'])
  })

  it('[R11] leaves out sentences and labels that the tools of a server share', () => {
    const tools = ['Create a page', 'Move a page to a parent', 'Delete a page'].map((words, at) => ({
      name: `tool_${at}`,
      description: `Notion | This is the public API. ${words}\nError Responses:\n400: Bad request`,
    }))
    const hits = shown([
      { id: 'notion', tools },
      { id: 'other', tools: tools.slice(0, 1) },
    ])
    expect(hits.map(({ description }) => description)).toEqual([
      'Create a page',
      'Move a page to a parent',
      'Delete a page',
      // Alone there is nothing to compare it with.
      'Notion | This is the public API.',
    ])
  })

  it('leaves out a description that repeats the name', () => {
    const tool = (name: string, description: string) => ({ name, description })
    const tools = [
      ...['a', 'b', 'c'].map((name) => tool(name, `Does ${name} well`)),
      tool('list_all_users', 'Lists the users.'),
      tool('listTeams', 'List teams by their owner'),
    ]
    const hits = shown([{ id: 's', tools }])
    expect(hits.map(({ description }) => description).slice(3)).toEqual([undefined, 'List teams by their owner'])
  })

  it('[R12] marks tools that only read and tools that destroy', () => {
    const tool = (name: string, annotations?: Readonly<Record<string, boolean>>) => ({
      name,
      ...(annotations && { annotations }),
    })
    const tools = [
      tool('reads', { readOnlyHint: true, destructiveHint: true, openWorldHint: true }),
      tool('destroys', { destructiveHint: true }),
      tool('adds', { destructiveHint: false }),
      tool('unknown'),
    ]
    const marks = (detail: SearchAsk['detail']) =>
      shown([{ id: 's', tools }], { detail }).map((hit) => hit['annotations'])
    expect(marks('summary')).toEqual([
      { readOnlyHint: true },
      { destructiveHint: true },
      { destructiveHint: false },
      undefined,
    ])
    expect(marks('minimal')).toEqual([undefined, undefined, undefined, undefined])
    expect(marks('full')[0]).toEqual({ readOnlyHint: true, destructiveHint: true, openWorldHint: true })
  })

  it('[R11] keeps all required parameters of a schema with 300 of them, and answers for a cyclic one', () => {
    const required = Object.keys(properties(300))
    const huge = { name: 'huge', inputSchema: { type: 'object' as const, properties: properties(300), required } }
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/Node' } }, required: ['next'] }
    const cyclic = {
      name: 'cyclic',
      inputSchema: { type: 'object' as const, properties: { first: { $ref: '#/$defs/Node' } }, $defs: { Node: node } },
    }
    const [first, second] = shown([{ id: 's', tools: [huge, cyclic] }])
    for (const name of required) expect(first?.signature).toContain(name)
    expect(second?.signature).toBe('(first?: Node) where Node = {next: Node}')
  })
})

describe('a full answer', () => {
  it('[R11] has everything, and ends at its budget after at least one hit', () => {
    const tool = {
      name: 't',
      description: 'Whole.',
      inputSchema: { type: 'object' as const, properties: properties(2) },
      outputSchema: { type: 'object' as const },
      annotations: { readOnlyHint: true },
      _meta: { ui: { resourceUri: 'ui://x' } },
    }
    const { name: _name, ...rest } = tool
    expect(shown([{ id: 's', tools: [tool] }], { detail: 'full' })).toEqual([
      { toolKey: 's:t', toolName: 't', serverName: 's', ...rest, relevance: 1 },
    ])
    const large = {
      id: 's',
      tools: Array.from({ length: 9 }, (_, at) => ({ ...tool, name: `t${at}`, description: 'x'.repeat(9_000) })),
    }
    const hits = shown([large], { detail: 'full' })
    expect(hits.length).toBeGreaterThan(1)
    expect(tokensOf(hits)).toBeLessThan(FULL_TOKENS)
    const huge = { ...tool, description: 'x'.repeat(90_000) }
    expect(shown([{ id: 's', tools: [huge, { ...huge, name: 'u' }] }], { detail: 'full' })).toHaveLength(1)
  })
})
