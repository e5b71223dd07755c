import type { IndexedTool } from '../../tool/tool.ts'
import { type ScanQuery, ScanProvider } from '../scan-provider.ts'
import { type LexicalText, readLexicalText } from './lexical-text.ts'
import { PhraseQuery } from './phrase-query.ts'
import { WordsQuery } from './words-query.ts'

/**
 * Finds the query as a substring, ignoring case: in names before namespaces before descriptions and tags. Where the
 * whole phrase stands nowhere, its words are tried. For small catalogs and exact words; it knows neither stems nor
 * synonyms.
 */
export class LexicalProvider extends ScanProvider<LexicalText> {
  readonly strategy = 'lexical'

  protected override read(tool: IndexedTool): LexicalText {
    return readLexicalText(tool)
  }

  protected override prepare(queries: readonly string[]): readonly (readonly ScanQuery<LexicalText>[])[] {
    return queries.map((query) => [new PhraseQuery(query), new WordsQuery(query)])
  }
}
