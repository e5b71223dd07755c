import { containsCjk } from '../../text/cjk.ts'
import type { QueryPart, QueryReading } from '../../query/query-reader.ts'
import { stem } from '../../text/stem.ts'
import { isStopWord } from '../../text/stop-words.ts'
import { synonymsOf } from '../../text/synonyms.ts'
import { tokenise } from '../../text/tokenise.ts'
import { MOST_QUERY_TERMS } from './parameters.ts'
import type { QueryPair, QueryTerm, QueryWords } from './query-terms.ts'

const HIRAGANA = /^\p{Script=Hiragana}+$/u
/** Shorter words inside a phrase, such as the `de` of `base de datos`, say nothing. */
const SHORTEST_INNER_WORD = 3

/** What a foreign query asks for: its phrases by what they mean, and by themselves where tools have them. */
export function translatedWords({ parts }: QueryReading): QueryWords {
  const reader = new ForeignReader()
  for (const part of parts) {
    if (part.kind === 'phrase') reader.readPhrase(part)
    else if (part.kind === 'other') reader.readOther(part.text)
  }
  return { terms: [...reader.terms.values()], pairs: pairsOf(reader.order) }
}

class ForeignReader {
  readonly terms = new Map<string, QueryTerm>()
  /** The stems in the order of the query. */
  readonly order: string[] = []

  /** The first English word of a meaning goes with the phrase's own first word; the others stand alone. */
  readPhrase({ text, meaning }: QueryPart): void {
    const slots = meaning.map((ways) => ways.filter((way) => !isStopWord(way))).filter((ways) => ways.length > 0)
    const [own = '', ...inner] = stemsIn(text)
    if (slots.length === 0 || own === '') return
    for (const [nth, ways] of slots.entries()) {
      const meanings = ways.map((way) => ({ stem: stem(way), synonyms: synonymsOf(stem(way)) }))
      this.#add({ word: text, stem: nth === 0 ? own : `${own}+${nth}`, isWhole: false, synonyms: [], meanings })
    }
    const meant = new Set(slots.flat().map(stem))
    for (const part of inner) {
      if (part.length < SHORTEST_INNER_WORD && !containsCjk(part)) continue
      if (!meant.has(part)) this.#add({ word: part, stem: part, isWhole: true, synonyms: [], meanings: [] })
    }
  }

  /** Names, words that no book has, and what is left of Japanese: its endings count only where tools have them, too. */
  readOther(text: string): void {
    tokenise(text, (word, advances) => {
      if (isStopWord(word)) return
      const stemmed = stem(word)
      const isWhole = !advances || HIRAGANA.test(word)
      this.#add({ word, stem: stemmed, isWhole, synonyms: synonymsOf(stemmed), meanings: [] })
    })
  }

  #add(term: Omit<QueryTerm, 'count'>): void {
    const known = this.terms.get(term.stem)
    if (known === undefined && this.terms.size >= MOST_QUERY_TERMS) return
    const count = 1 + (known?.count ?? 0)
    this.terms.set(term.stem, { ...(known ?? term), count, isWhole: term.isWhole && (known?.isWhole ?? true) })
    if (!term.isWhole) this.order.push(term.stem)
  }
}

function stemsIn(text: string): string[] {
  const stems: string[] = []
  tokenise(text, (word) => stems.push(stem(word)))
  return stems
}

/** Neighbours in either order: where English says `create invoice`, German and Japanese have the verb last. */
function pairsOf(order: readonly string[]): QueryPair[] {
  const pairs = new Map<string, QueryPair>()
  for (const [nth, first] of order.entries()) {
    const second = order[nth + 1]
    if (second === undefined || first === second || pairs.size + 1 >= MOST_QUERY_TERMS) continue
    pairs.set(`${first} ${second}`, { first, second })
    pairs.set(`${second} ${first}`, { first: second, second: first })
  }
  return [...pairs.values()]
}
