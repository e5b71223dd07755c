import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { processorMs } from '../../../../test/kit/processor-time.ts'
import type { SearchField } from '../tool/tool.ts'
import { parseQuery } from './parse-query.ts'
import type { QueryNode } from './query.ts'

const words = (text: string, field?: SearchField): QueryNode => leaf('words', text, field)
const phrase = (text: string, field?: SearchField): QueryNode => leaf('phrase', text, field)
const prefix = (text: string, field?: SearchField): QueryNode => leaf('prefix', text, field)
const and = (...children: QueryNode[]): QueryNode => ({ kind: 'and', children })
const or = (...children: QueryNode[]): QueryNode => ({ kind: 'or', children })
const not = (child: QueryNode): QueryNode => ({ kind: 'not', child })
const plain = (text: string) => ({ root: words(text), structured: false })

function leaf(kind: 'words' | 'phrase' | 'prefix', text: string, field?: SearchField): QueryNode {
  return field === undefined ? { kind, text } : { kind, text, field }
}

describe('parseQuery', () => {
  it.each<[string, QueryNode]>([
    ['github AND issue', and(words('github'), words('issue'))],
    ['file OR document', or(words('file'), words('document'))],
    ['NOT archived', not(words('archived'))],
    ['(file OR document) AND read', and(or(words('file'), words('document')), words('read'))],
    ['(list files) AND read', and(words('list files'), words('read'))],
    ['file AND NOT (delete OR move)', and(words('file'), not(or(words('delete'), words('move'))))],
    ['CSV AND JSON', and(words('CSV'), words('JSON'))],
    ['東京 AND 天気', and(words('東京'), words('天気'))],
    ['foo:bar AND 12:30', and(words('foo:bar'), words('12:30'))],
  ])('[P9] reads the operators of %s', (text, root) => {
    expect(parseQuery(text)).toEqual({ root, structured: true })
  })

  it.each<[string, QueryNode]>([
    ['"pull request"', phrase('pull request')],
    ['create "pull request"', or(words('create'), phrase('pull request'))],
    ['creat*', prefix('creat')],
    ['server:github', words('github', 'server')],
    ['Server:github', words('github', 'server')],
    ['server:github description:"create issue"', or(words('github', 'server'), phrase('create issue', 'description'))],
    ['name:creat*', prefix('creat', 'name')],
    ['name:(create OR "pull request")', or(words('create', 'name'), phrase('pull request', 'name'))],
    ['name:(create issue) AND param:title', and(words('create issue', 'name'), words('title', 'parameters'))],
    ['tags:beta create a new issue', or(words('beta', 'tags'), words('create a new issue'))],
  ])('[P9] reads the phrases, prefixes and fields of %s', (text, root) => {
    expect(parseQuery(text)).toEqual({ root, structured: true })
  })

  it.each<[string, QueryNode]>([
    ['one two AND three', or(words('one'), and(words('two'), words('three')))],
    ['one OR two AND three', or(words('one'), and(words('two'), words('three')))],
    ['one OR two three', or(words('one'), words('two three'))],
    ['NOT one AND two', and(not(words('one')), words('two'))],
    ['one OR (two OR three)', or(words('one'), words('two'), words('three'))],
    ['one AND (two AND three)', and(words('one'), words('two'), words('three'))],
  ])('binds NOT before AND before OR in %s', (text, root) => {
    expect(parseQuery(text).root).toEqual(root)
  })

  it.each<[string, QueryNode]>([
    ['issue NOT archived', and(words('issue'), not(words('archived')))],
    ['one two NOT three', and(words('one two'), not(words('three')))],
    ['NOT one two', and(words('two'), not(words('one')))],
    ['one AND two NOT three', and(words('one'), words('two'), not(words('three')))],
    ['NOT one NOT two', and(not(words('one')), not(words('two')))],
    ['one OR NOT two', or(words('one'), not(words('two')))],
    ['NOT one OR two', or(not(words('one')), words('two'))],
  ])('excludes what a NOT beside other parts matches, unless OR joins it, in %s', (text, root) => {
    expect(parseQuery(text).root).toEqual(root)
  })

  it.each(['', ' ', '\t\n\u3000'])('has nothing to search for in blank text %j', (text) => {
    expect(parseQuery(text)).toEqual({ root: null, structured: false })
  })

  it.each([
    ...['AND', 'AND one', 'one AND', 'one AND OR two', 'one AND AND two', 'NOT', 'one NOT', 'NOT NOT one'],
    ...[
      '()',
      '( )',
      'one AND ()',
      '(one',
      '((one)',
      'one) OR (two',
      ')(',
      '"',
      '""',
      'one "two',
      '"one" AND "two',
      ':)',
    ],
    ...['name:', 'name: one', 'name:()', 'name:(tag:one)', 'name:name:', ':one', 'foo:"bar"', 'one AND *', '*'],
    `${'('.repeat(51)}one OR two${')'.repeat(51)}`,
    '\ud800 AND "\udfff"',
    '\u0000',
    '😀 😃 😄',
  ])('[P10] searches for words where %j does not parse', (text) => {
    expect(parseQuery(text)).toEqual(plain(text))
  })

  it.each([
    'github and issue',
    'file or document, not archived',
    "What's the weather in Paris AND is it cold?",
    'weather in Paris AND in London',
    'Find "Harry Potter" books (2001) for me!',
    'Find the "Harry Potter" books',
    'get weather AND send mail',
    'translate English text quickly AND save',
    'read my mail OR calendar',
    'don\'t delete "pull request"',
    'IMPORTANT: do NOT delete',
    'do NOT delete files',
    'DO NOT DELETE',
    'URGENT CLEANUP AND BACKUP',
    'DELETE FILES NOT FOLDERS',
    'SHOUTED SENTENCES IN CAPITALS AND MORE',
    'THIS OR THAT',
    'Note: server: github',
    'e.g. foo(bar)',
    'books (2001)',
    'the ratio 3:4 at 12:30',
    'http://example.com/?name:x&y=(z)',
    'C:\\Users\\name:x',
    '{"name":"foo","server":"github"}',
    'if (name:x) { return "y" }',
    '- **name:** create `issue` AND close',
    '# Heading\n\n* one\n* two',
    '"How do I create an issue?"',
    '"Create a new issue in the repository of my team"',
    'read the book "Snow" today please thanks everyone there',
    'remember weather forecast tomorrow morning Berlin "umbrella" needed',
    'rock ’n’ roll AND jazz',
  ])('[P10] leaves natural language and code as it is: %j', (text) => {
    expect(parseQuery(text)).toEqual(plain(text))
  })

  it('nests up to fifty parentheses', () => {
    expect(parseQuery(`${'('.repeat(50)}one OR two${')'.repeat(50)}`).structured).toBe(true)
  })

  it.each(['(', '"', 'a AND ', 'name:', 'NOT ', '*', '((a) ', 'ab'])(
    '[P10] answers 100 kB of %j at once',
    async (piece) => {
      const text = piece.repeat(Math.ceil(100_000 / piece.length))
      expect(await processorMs(() => expect(parseQuery(text).structured).toBe(false))).toBeLessThan(250)
    },
  )
})

describe('parseQuery, for any text', () => {
  const fragment = fc.constantFrom(
    ...['AND', 'OR', 'NOT', '(', ')', '"', '“', '”', '：', '*', 'name:', 'desc:', 'foo:', 'one', 'two', ' ', ' ', '  '],
    ...["'", '.', '😀', '\ud800', '\u0000', '\\', '\n', 'the'],
  )
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fragment, { maxLength: 30 }).map((fragments) => fragments.join('')),
    fc.array(fragment, { maxLength: 12 }).map((fragments) => fragments.join(' ')),
  )

  it('[P10] never throws, and keeps the text of words as typed', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { root, structured } = parseQuery(text)
        if (!structured) expect(root).toEqual(text.trim() === '' ? null : words(text))
      }),
      { numRuns: 2_000 },
    )
  })

  it('never puts a group of one kind into another of that kind, nor makes groups of one', () => {
    const isNormal = (node: QueryNode): boolean => {
      if (node.kind === 'not') return isNormal(node.child)
      if (!('children' in node)) return node.text !== ''
      return node.children.length > 1 && node.children.every((child) => child.kind !== node.kind && isNormal(child))
    }
    fc.assert(
      fc.property(anyText, (text) => {
        const { root } = parseQuery(text)
        expect(root === null || isNormal(root)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it('reads a printed tree back as the same tree', () => {
    fc.assert(
      fc.property(anyTree(3), (tree) => {
        expect(parseQuery(printed(tree)).root).toEqual(tree)
      }),
      { numRuns: 1_000 },
    )
  })

  it('never finds structure in sentences without operators, quotes, fields and stars', () => {
    const vocabulary = [
      'find',
      'Name',
      'the',
      'server',
      'and',
      'or',
      'not',
      'GitHub',
      "what's",
      '(maybe)',
      'a-b',
      '12:30',
      '…',
    ]
    const ending = fc.constantFrom('', '.', '?', '!')
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...vocabulary), { minLength: 1 }), ending, (sentence, end) => {
        expect(parseQuery(sentence.join(' ') + end).structured).toBe(false)
      }),
    )
  })

  it('never finds structure in what ends as a sentence does', () => {
    const ending = fc.constantFrom('one.', 'two?', 'three!', 'four…', '五。')
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 12 }), ending, (fragments, end) => {
        const quotes = fragments.filter((piece) => '"“”'.includes(piece)).length
        fc.pre(quotes % 2 === 0)
        expect(parseQuery(`${fragments.join(' ')} ${end}`).structured).toBe(false)
      }),
    )
  })
})

const FIELDS: readonly SearchField[] = ['name', 'title', 'server', 'description', 'parameters', 'tags']

function anyTree(depth: number): fc.Arbitrary<QueryNode> {
  const text = fc.constantFrom('file', 'create_issue', 'プロジェクト', 'node.js', 'foo:bar')
  const field = fc.option(fc.constantFrom(...FIELDS), { nil: undefined })
  const texts = fc.array(text, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '))
  const leaves = fc.oneof(
    fc.tuple(texts, field).map(([words_, of]) => words(words_, of)),
    fc.tuple(texts, field).map(([words_, of]) => phrase(words_, of)),
    fc.tuple(fc.constantFrom('creat', 'プロ', 'a_'), field).map(([start, of]) => prefix(start, of)),
  )
  if (depth === 0) return leaves
  const inner = anyTree(depth - 1)
  const children = (kind: 'and' | 'or') =>
    fc.array(
      inner.filter((node) => node.kind !== kind),
      { minLength: 2, maxLength: 4 },
    )
  return fc.oneof(
    leaves,
    inner.map(not),
    children('and').map((nodes) => and(...nodes)),
    children('or').map((nodes) => or(...nodes)),
  )
}

function printed(node: QueryNode, within?: QueryNode['kind']): string {
  switch (node.kind) {
    case 'words':
    case 'phrase':
    case 'prefix':
      return printedLeaf(node, within !== undefined)
    case 'not': {
      const text = `NOT ${printed(node.child, 'not')}`
      return within === 'not' ? `(${text})` : text
    }
    default: {
      const text = node.children.map((child) => printed(child, node.kind)).join(node.kind === 'and' ? ' AND ' : ' OR ')
      return within === undefined ? text : `(${text})`
    }
  }
}

function printedLeaf(node: QueryNode & { text: string }, isInner: boolean): string {
  const field = 'field' in node ? `${node.field}:` : ''
  if (node.kind === 'phrase') return `${field}"${node.text}"`
  if (node.kind === 'prefix') return `${field}${node.text}*`
  return node.text.includes(' ') && (isInner || field !== '') ? `${field}(${node.text})` : `${field}${node.text}`
}
