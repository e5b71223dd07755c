/** Helpers for the tests of the index: small tools with shared words, and a corpus with a history of changes. */
import fc from 'fast-check'
import type { IndexedTool } from '../../../tool/tool.ts'
import { Corpus } from './corpus.ts'
import { type CorpusView, CorpusViews } from './corpus-view.ts'

/** Words whose forms, wholes and scripts differ in every way that the index knows. */
const WORDS = [
  ...['read', 'reading', 'file', 'files', 'readFile', 'story', 'stories', 'store', 'the', 'of'],
  ...['pull_request', 'pull', 'request', 'v2', 'サーバー', '社内検索', '検索', 'Été', '__proto__', 'constructor'],
]

/** One of the words that `TOOLS` are made of. */
export const WORD = fc.constantFrom(...WORDS)

const text = (most: number): fc.Arbitrary<string> => fc.array(WORD, { maxLength: most }).map((words) => words.join(' '))
const maybe = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(value, { nil: undefined })

/** A tool with some of the fields that a tool can have. */
const TOOL: fc.Arbitrary<IndexedTool> = fc
  .record({
    name: fc.array(WORD, { minLength: 1, maxLength: 3 }).map((words) => words.join('_')),
    namespace: maybe(fc.constantFrom('files', 'web search', 'constructor')),
    namespaceDescription: maybe(fc.constantFrom('all about files', 'stories of the web')),
    title: maybe(text(2)),
    description: fc.tuple(text(4), text(4)).map((sentences) => sentences.join('. ')),
    parameter: maybe(text(2)),
    tags: fc.array(fc.constantFrom('files', 'v2'), { maxLength: 2 }),
  })
  .map(({ parameter, namespace, namespaceDescription, title, ...rest }) => ({
    ...rest,
    id: namespace === undefined ? rest.name : `${namespace}:${rest.name}`,
    ...(namespace !== undefined && { namespace }),
    ...(namespaceDescription !== undefined && { namespaceDescription }),
    ...(title !== undefined && { title }),
    ...(parameter !== undefined && { inputSchema: { properties: { path: { description: parameter } } } }),
  }))

/** A few tools, each id once. */
export const TOOLS = fc.uniqueArray(TOOL, { selector: ({ id }) => id, maxLength: 8, size: 'max' })

/** A corpus of exactly these tools. */
export function corpusOf(tools: readonly IndexedTool[]): Corpus {
  const corpus = new Corpus()
  corpus.apply({ added: tools, changed: [], removed: [] })
  return corpus
}

/** A corpus that holds `tools` after it held others. */
export function corpusWithPast(before: readonly IndexedTool[], tools: readonly IndexedTool[]): Corpus {
  const corpus = corpusOf(before)
  const had = new Set(before.map(({ id }) => id))
  const kept = new Set(tools.map(({ id }) => id))
  corpus.apply({
    removed: before.filter(({ id }) => !kept.has(id)),
    changed: tools.filter(({ id }) => had.has(id)),
    added: tools.filter(({ id }) => !had.has(id)),
  })
  return corpus
}

/** The view of a corpus, of all its tools or of those with the given ids. */
export function viewOf(corpus: Corpus, ids?: ReadonlySet<string>): CorpusView {
  return new CorpusViews(corpus).viewOf(ids)
}

/** The number of a document that must exist. */
export function numberOf(corpus: Corpus, id: string): number {
  const number = corpus.numberOf(id)
  if (number === undefined) throw new Error(`no tool ${id}`)
  return number
}
