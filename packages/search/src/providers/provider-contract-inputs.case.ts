/** Inputs of the contract suite: a few ordinary tools, random small sets, and malformed or hostile input. */
import fc from 'fast-check'
import type { SearchProvider, ToolChange } from './search-provider.ts'
import type { ToolFilter } from '../tool/tool-filter.ts'
import type { IndexedTool, JsonSchema } from '../tool/tool.ts'
import { ToolScope } from '../tool/tool-scope.ts'

/** A tool from its id; the part before the first colon is the namespace. */
export function tool(id: string, description?: string): IndexedTool {
  const colon = id.indexOf(':')
  return {
    id,
    name: id.slice(colon + 1),
    ...(colon === -1 ? {} : { namespace: id.slice(0, colon) }),
    ...(description === undefined ? {} : { description }),
  }
}

/** A change as an index reports it: each list in id order. */
export function changeOf(change: Partial<ToolChange>): ToolChange {
  const inOrder = (tools: readonly IndexedTool[] = []) => tools.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return { added: inOrder(change.added), changed: inOrder(change.changed), removed: inOrder(change.removed) }
}

/** The three kinds of filter that let exactly these tools pass. */
export function filtersFor(tools: readonly IndexedTool[]): ToolFilter[] {
  const ids = new Set(tools.map((one) => one.id))
  return [ids, (one) => ids.has(one.id), new ToolScope(ids)]
}

/**
 * Brings the provider to hold `tools` by a detour: in another order, with others in between, some first as something
 * else.
 */
export function withHistory(
  provider: SearchProvider,
  tools: readonly IndexedTool[],
  others: readonly IndexedTool[],
  rotation: number,
): SearchProvider {
  const turn = tools.length === 0 ? 0 : rotation % tools.length
  const turned = [...tools.slice(turn), ...tools.slice(0, turn)]
  const wanted = new Set(tools.map((one) => one.id))
  const passing = others.filter((one) => !wanted.has(one.id))
  const half = Math.floor(turned.length / 2)
  provider.apply(changeOf({ added: passing }))
  for (const one of turned.slice(0, half)) provider.apply(changeOf({ added: [{ ...one, description: 'create once' }] }))
  provider.apply(changeOf({ added: turned.slice(half), changed: turned.slice(0, half) }))
  provider.apply(changeOf({ removed: passing }))
  provider.apply(changeOf({ removed: turned.slice(0, 1) }))
  provider.apply(changeOf({ added: turned.slice(0, 1) }))
  return provider
}

/** Some have `issue` in the name, some in the description; one word each belongs to one tool. */
export const TOOLS: readonly IndexedTool[] = [
  tool('files:delete_file', 'Removes a file for good'),
  tool('files:read_file', 'Reads a file'),
  tool('github:create_issue', 'Opens a ticket in a repository'),
  tool('github:list_issues', 'Lists what is open'),
  tool('jira:searchIssues', 'Finds issues by text'),
  tool('slack:send_message', 'Posts a message, for example about an issue'),
  { ...tool('weather:forecast', 'Tells the temperature'), tags: ['climate'], title: 'Weather forecast' },
]

/** Three intents that have nothing in common. */
export const SEVERAL_QUERIES = ['ticket', 'forecast', 'delete_file']

/** Names that break a dictionary made of an object literal. */
export const HOSTILE_NAMES = [['__proto__'], ['constructor'], ['toString'], ['hasOwnProperty']] as [string][]

const HOSTILE_SCHEMA = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{}}}')

/** Definitions at the edge of what a server may send. */
export const ODD_FIELDS: [string, Partial<IndexedTool>][] = [
  ['no description', {}],
  ['an empty description and title', { description: '', title: '' }],
  ['a description of 1 MB', { description: 'lorem ipsum issue '.repeat(60_000) }],
  ['a description of 1 MB without a space', { description: 'a'.repeat(1_000_000) }],
  ['lone surrogates and control characters', { description: '\ud800 issue \udc00\u0000\u0007' }],
  ['a schema of 10,000 levels', { inputSchema: deepSchema(10_000) }],
  ['a schema that contains itself', { inputSchema: cyclicSchema() }],
  ['a schema with hostile property names', { inputSchema: HOSTILE_SCHEMA }],
  ['a schema of the wrong shape', { inputSchema: { properties: 'none', required: 3, items: [null, 'x'] } }],
]

/** Queries that mean nothing or trip a parser. */
export const BAD_QUERIES: [string, string][] = [
  ['100 kB of one letter', 'a'.repeat(100_000)],
  ['100 kB of distinct words', Array.from({ length: 15_000 }, (_, index) => `w${index}`).join(' ')],
  ['100 kB of quotes', '"'.repeat(100_000)],
  ['100 kB of parentheses', '('.repeat(100_000)],
  ['emoji only', '🎉🚀👩‍👩‍👧'],
  ['control characters', '\u0000\u0001\u001b[31m\u007f'],
  ['lone surrogates', '\ud800 \udc00issue\ud83d'],
  ['combining marks only', '\u0301\u0301\u0301'],
  ['an unbalanced quote', '"pull request'],
  ['unbalanced parentheses', '((issue) OR'],
  ['closing parentheses', ')))issue((('],
  ['operators only', 'AND OR NOT'],
  ['a field without a term', 'name:'],
  ['an unknown field', 'colour:green'],
  ['an open bracket', '[a-'],
  ['a lone star', '*'],
  ['a trailing backslash', 'issue\\'],
  ['nested repetition', '(a+)+$'],
  ['overlapping alternatives', '(x+x+)+y|(a|aa)+$|(.*)*z'],
  ['huge counted repetition', '(((\\w{30}){30}){1})'.repeat(9)],
  ['a pattern of more than 200 characters', '(issue|ticket)'.repeat(30)],
  ['JSON', '{"query": ["issue"]}'],
]

/** Small sets of tools that share words, names and servers. */
export const TOOL_SET = fc
  .uniqueArray(
    fc.record({
      namespace: fc.constantFrom(undefined, 'github', 'files', 'slack'),
      words: fc.array(fc.constantFrom('create', 'list', 'issue', 'file', 'user', 'github'), {
        minLength: 1,
        maxLength: 3,
      }),
      style: fc.constantFrom('_', '-', 'camel'),
      description: fc.option(fc.array(fc.constantFrom('create', 'the', 'issue', 'files', 'read'), { maxLength: 6 })),
      tags: fc.uniqueArray(fc.constantFrom('issue', 'files'), { maxLength: 2 }),
      parameter: fc.option(fc.constantFrom('user', 'issue_id', '__proto__')),
    }),
    { maxLength: 12, selector: ({ namespace, words, style }) => `${namespace}:${nameOf(words, style)}` },
  )
  .map((rows) =>
    rows.map(({ namespace, words, style, description, tags, parameter }): IndexedTool => {
      const id = namespace === undefined ? nameOf(words, style) : `${namespace}:${nameOf(words, style)}`
      return {
        ...tool(id, description?.join(' ')),
        tags,
        ...(parameter === null ? {} : { inputSchema: { properties: Object.fromEntries([[parameter, {}]]) } }),
      }
    }),
  )

function nameOf(words: readonly string[], style: string): string {
  if (style !== 'camel') return words.join(style)
  return words.map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('')
}

/** One to three queries in the words of `TOOL_SET`. */
export const QUERIES = fc.array(
  fc
    .array(fc.constantFrom('create', 'issue', 'file', 'github', 'the', 'read'), { minLength: 1, maxLength: 3 })
    .map((words) => words.join(' ')),
  { minLength: 1, maxLength: 3 },
)

function deepSchema(levels: number): JsonSchema {
  let schema: JsonSchema = { type: 'string' }
  for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { [`level${level}`]: schema } }
  return schema
}

function cyclicSchema(): JsonSchema {
  const properties: Record<string, unknown> = {}
  const schema = { type: 'object', properties, anyOf: [{ $ref: '#' }] }
  properties['self'] = schema
  return schema
}
