import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseQuery } from '../../../query/parse-query.ts'
import type { QueryLeaf, QueryNode } from '../../../query/query.ts'
import { schemaText } from '../../../tool/schema-text.ts'
import type { SearchField, IndexedTool } from '../../../tool/tool.ts'
import { normaliseText } from '../../../text/normalise.ts'
import { stem } from '../../../text/stem.ts'
import { isStopWord } from '../../../text/stop-words.ts'
import { tokenise } from '../../../text/tokenise.ts'
import { corpusOf, corpusWithPast, TOOLS, viewOf, WORD } from '../index/corpus.case.ts'
import { FIELDS } from '../index/posting.ts'
import { countPatterns, matchStructured } from './structured-match.ts'

interface Token {
  readonly word: string
  readonly advances: boolean
}
interface Piece {
  readonly field: SearchField
  readonly tokens: readonly Token[]
}

const tokensIn = (text: string): Token[] => {
  const tokens: Token[] = []
  tokenise(text, (word, advances) => tokens.push({ word, advances }))
  return tokens
}
const stemsAt = (tokens: readonly Token[]): string[] =>
  tokens.filter((one) => one.advances).map(({ word }) => stem(word))

function piecesOf({ name, title, namespace, description = '', inputSchema, tags = [] }: IndexedTool): Piece[] {
  const piece = (field: SearchField, text = ''): Piece => ({ field, tokens: tokensIn(text) })
  const { names, details } = schemaText(inputSchema)
  return [
    piece('name', name),
    piece('title', title),
    piece('server', namespace),
    ...description.split(/(?<=\.) /).map((sentence) => piece('description', sentence)),
    ...[...names, ...details].map((text) => piece('parameters', text)),
    ...tags.map((tag) => piece('tags', tag)),
  ]
}

/** A direct evaluation of a query for one tool. */
function holds(node: QueryNode, tool: IndexedTool): boolean {
  switch (node.kind) {
    case 'and':
      return node.children.every((child) => holds(child, tool))
    case 'or':
      return node.children.some((child) => holds(child, tool))
    case 'not':
      return !holds(node.child, tool)
    default:
      return leafHolds(
        node,
        piecesOf(tool).filter(({ field }) => node.field === undefined || node.field === field),
      )
  }
}

function leafHolds({ kind, text }: QueryLeaf, pieces: readonly Piece[]): boolean {
  const all = pieces.flatMap(({ tokens }) => tokens)
  const has = (stemmed: string): boolean => all.some(({ word }) => stem(word) === stemmed)
  if (kind === 'prefix') return all.some(({ word }) => word.startsWith(normaliseText(text)))
  const asked = stemsAt(tokensIn(text))
  if (kind === 'words') {
    const words = text.split(' ')
    const telling = words.filter((word) => !isStopWord(normaliseText(word)))
    return (telling.length > 0 ? telling : words).some((word) => stemsAt(tokensIn(word)).every(has))
  }
  if (asked.length === 1) return asked.every(has)
  return pieces.some(({ tokens }) => ` ${stemsAt(tokens).join(' ')} `.includes(` ${asked.join(' ')} `))
}

const words = (most: number) => fc.array(WORD, { minLength: 1, maxLength: most }).map((chosen) => chosen.join(' '))
const leaf: fc.Arbitrary<QueryLeaf> = fc
  .oneof(
    fc.record({ kind: fc.constant('words' as const), text: words(3) }),
    fc.record({ kind: fc.constant('phrase' as const), text: words(3) }),
    fc.record({
      kind: fc.constant('prefix' as const),
      text: fc.constantFrom('r', 'stor', 'story', 'fil', 'readf', '検', 'É'),
    }),
  )
  .chain((one) => fc.option(fc.constantFrom(...FIELDS)).map((field) => (field === null ? one : { ...one, field })))
const { tree } = fc.letrec<{ tree: QueryNode }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.record({ kind: fc.constantFrom('and', 'or'), children: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }) }),
    fc.record({ kind: fc.constant('not' as const), child: tie('tree') }),
  ),
}))

const rootOf = (query: string): QueryNode => {
  const { root } = parseQuery(query)
  if (root === null) throw new Error('blank')
  return root
}

describe('matchStructured', () => {
  it('lets through the visible tools for which the query holds, after any past', () => {
    fc.assert(
      fc.property(TOOLS, TOOLS, tree, fc.func(fc.boolean()), (before, tools, root, chosen) => {
        const corpus = corpusWithPast(before, tools)
        const visible = new Set(tools.map(({ id }) => id).filter((id) => chosen(id)))
        const { matching } = matchStructured(root, corpus, viewOf(corpus, visible))
        const matched = Array.from(corpus.numbers()).filter((document) => matching[document] === 1)
        const expected = tools.filter((tool) => visible.has(tool.id) && holds(root, tool))
        expect(new Set(matched.map((document) => corpus.tool(document).id))).toEqual(
          new Set(expected.map(({ id }) => id)),
        )
        expect(matching.reduce((sum, one) => sum + one, 0)).toBe(expected.length)
      }),
      { numRuns: 700 },
    )
  })

  it.each([
    ['"file story"', { description: 'readFile story' }, true],
    ['"file story"', { description: 'file. story' }, false],
    ['"read file story"', { description: 'read readFile story' }, true],
    ['"pull request"', { title: 'request pull', description: 'pull request' }, true],
    ['title:"pull request"', { title: 'request pull', description: 'pull request' }, false],
    ['title:story*', { title: 'stories', description: 'story' }, false],
    // One term, of whose forms only one begins so.
    ['readstory*', { description: 'readStory' }, true],
    ['readstory*', { description: 'readStories' }, false],
    ['("pull request" AND walnut) OR "pull request"', { description: 'pull request' }, true],
  ])('takes %s of %j for %s', (query, fields, expected) => {
    const other = { id: 'other', name: 'readStory', description: 'story stories readStories' }
    const corpus = corpusOf([other, { id: 'a', name: 'x', ...fields }])
    const { matching } = matchStructured(rootOf(query), corpus, viewOf(corpus, new Set(['a'])))
    expect(matching.includes(1)).toBe(expected)
  })

  it('ranks by all words but the excluded ones', () => {
    const corpus = corpusOf([{ id: 'a', name: 'story_reader' }])
    const rankedBy = (query: string) => {
      const { text, prefixes } = matchStructured(rootOf(query), corpus, viewOf(corpus))
      return [text, ...prefixes.map(({ prefix }) => `${prefix}*`)]
    }
    expect(rankedBy('alpha AND NOT beta AND "gamma delta"')).toEqual(['alpha gamma delta'])
    expect(rankedBy('alpha AND NOT (beta OR NOT gamma)')).toEqual(['alpha gamma'])
    expect(rankedBy('NOT sto* AND sto* AND sto* AND REA*')).toEqual(['', 'sto*', 'rea*'])
    expect(rankedBy('NOT sto*')).toEqual([''])
  })

  it('counts for a prefix the visible tools that have a word that begins so', () => {
    const tools = ['story', 'stories', 'store', 'read'].map((name) => ({ id: name, name }))
    const corpus = corpusOf(tools)
    const countOf = (query: string, ids?: ReadonlySet<string>) =>
      matchStructured(rootOf(query), corpus, viewOf(corpus, ids)).prefixes.map(({ count }) => count)
    expect(countOf('stor*')).toEqual([3])
    // `stories` and `story` are one term, but only one of them begins so.
    expect(countOf('story*')).toEqual([1])
    expect(countOf('stor*', new Set(['store', 'read']))).toEqual([1])
  })
})

describe('countPatterns', () => {
  it('counts phrases and prefixes wherever they are', () => {
    expect(countPatterns(rootOf('a* AND (b OR "c d") AND NOT e*'))).toBe(3)
    expect(countPatterns(rootOf('a OR b'))).toBe(0)
  })
})
