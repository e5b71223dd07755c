import type { QueryPart, QueryReader, QueryReading } from '../../../query/query-reader.ts'
import { containsCjk } from '../../../text/cjk.ts'
import { expansionOf } from '../../../text/abbreviations.ts'
import { stem } from '../../../text/stem.ts'
import { isStopWord } from '../../../text/stop-words.ts'
import { type Synonym, synonymsOf } from '../../../text/synonyms.ts'
import { tokenise } from '../../../text/tokenise.ts'
import { MOST_QUERY_TERMS } from '../parameters.ts'

/** A word of a query, once however often it occurs. */
export interface QueryTerm {
  /** As first typed, normalised. */
  readonly word: string
  readonly stem: string
  /** How often it occurs. */
  readonly count: number
  /** The whole of an identifier that the query also has in parts: worth something only if tools have it, too. */
  readonly isWhole: boolean
  /** Other words for it, as stems. */
  readonly synonyms: readonly Synonym[]
  /** The English words that a foreign word or an abbreviation may mean, likeliest first; empty for all other words. */
  readonly meanings: readonly TermMeaning[]
  /** It stands for its meanings and nothing else: each counts like the word itself. */
  readonly isAbbreviation: boolean
}

/** An English word that a foreign one may mean. */
interface TermMeaning {
  readonly stem: string
  readonly synonyms: readonly Synonym[]
}

/** Two words of a query that stand side by side. */
export interface QueryPair {
  readonly first: string
  readonly second: string
}

/** The words that a text asks for. */
interface QueryWords {
  readonly terms: readonly QueryTerm[]
  readonly pairs: readonly QueryPair[]
}

const NONE: readonly TermMeaning[] = []
/** `PRs` is no identifier of two words. */
const PLURAL_ACRONYM = /\b([A-Z]{2,})s\b/g
/** In a longer text these say no more than other stop words; in a short request they are the action. */
const FILLERS: ReadonlySet<string> = new Set(['get', 'gets', 'getting', 'got'])
const MOST_REQUEST_WORDS = 12
const ARTICLES: ReadonlySet<string> = new Set(['a', 'an'])

interface Token {
  readonly word: string
  readonly advances: boolean
}

/** The words of a query text, without stop words while something else remains. */
export function queryWords(text: string, reader?: QueryReader, isPart = false): QueryWords {
  const reading = reader?.read(text)
  if (reading !== undefined) {
    const words = translatedWords(reading)
    if (words.terms.length > 0) return words
  }
  const tokens: Token[] = []
  tokenise(text.replace(PLURAL_ACRONYM, '$1S'), (word, advances) => tokens.push({ word, advances }))
  fileAsVerb(tokens)
  const isStory = isPart || tokens.length > MOST_REQUEST_WORDS
  const isUseful = (token: Token): boolean => !isStopWord(token.word) && !(isStory && FILLERS.has(token.word))
  const useful = tokens.some(isUseful) ? isUseful : () => true
  return { terms: termsOf(tokens, useful, isStory), pairs: pairsOf(tokens, useful) }
}

/** In "file a bug" or "to file an appeal", `file` is a verb; tools call it creating. */
function fileAsVerb(tokens: Token[]): void {
  for (const [index, { word, advances }] of tokens.entries()) {
    const before = tokens[index - 1]
    const isVerb = ARTICLES.has(tokens[index + 1]?.word ?? '') && (before === undefined || isStopWord(before.word))
    if (word === 'file' && isVerb) tokens[index] = { word: 'create', advances }
  }
}

function termsOf(tokens: readonly Token[], useful: (token: Token) => boolean, isStory: boolean): QueryTerm[] {
  const terms = new Map<string, Draft>()
  let previous = ''
  for (const token of tokens) {
    const stemmed = stem(token.word)
    const joined = previous === '' ? [] : synonymsOf(`${previous}_${stemmed}`)
    const before = terms.get(previous)
    if (token.advances) previous = stemmed
    const known = terms.get(stemmed)
    if (!useful(token)) {
      // `turn on`, `sign up`: the first word has to stand for both, once however often they occur.
      const [first] = joined
      if (before !== undefined && first !== undefined && !before.synonyms.includes(first)) {
        before.synonyms = [...before.synonyms, ...joined]
      }
    } else if (known !== undefined) {
      known.count++
      known.isWhole &&= !token.advances
    } else if (terms.size < MOST_QUERY_TERMS) {
      const synonyms = joined.length === 0 ? synonymsOf(stemmed) : [...synonymsOf(stemmed), ...joined]
      const [first = NONE, ...others] = token.advances ? expandedMeanings(token.word) : []
      terms.set(stemmed, { word: token.word, count: 1, isWhole: !token.advances, synonyms, meanings: first })
      // `pr` asks for two things, of which the second stands alone.
      for (const [nth, meanings] of others.entries()) {
        terms.set(`${stemmed}+${nth}`, { word: token.word, count: 1, isWhole: false, synonyms: [], meanings })
      }
    }
  }
  return Array.from(terms, ([stemmed, term]) => ({
    stem: stemmed,
    ...term,
    // What the query says itself is paid where it says so, not again as another word.
    synonyms: isStory ? term.synonyms : term.synonyms.filter((synonym) => !terms.has(synonym.stem)),
    isAbbreviation: term.meanings.length > 0,
  }))
}

interface Draft {
  word: string
  count: number
  isWhole: boolean
  synonyms: QueryTerm['synonyms']
  meanings: QueryTerm['meanings']
}

/** For each word that an abbreviation stands for, its alternatives. */
function expandedMeanings(word: string): readonly (readonly TermMeaning[])[] {
  const expansion = expansionOf(word) ?? []
  return expansion.map((ways) => ways.map((way) => ({ stem: stem(way), synonyms: synonymsOf(stem(way)) })))
}

function pairsOf(tokens: readonly Token[], useful: (token: Token) => boolean): QueryPair[] {
  const pairs = new Map<string, QueryPair>()
  let previous: Token | undefined
  for (const token of tokens) {
    if (!token.advances) continue
    if (previous !== undefined && useful(previous) && useful(token) && pairs.size < MOST_QUERY_TERMS) {
      const pair = { first: stem(previous.word), second: stem(token.word) }
      pairs.set(`${pair.first} ${pair.second}`, pair)
    }
    previous = token
  }
  return [...pairs.values()]
}

const HIRAGANA = /^\p{Script=Hiragana}+$/u
/** Shorter words inside a phrase, such as the `de` of `base de datos`, say nothing. */
const SHORTEST_INNER_WORD = 3

/** The terms of a foreign query: its phrases by their meanings, and by themselves where tools have them. */
function translatedWords({ parts }: QueryReading): QueryWords {
  const reader = new TranslatedTerms()
  for (const part of parts) {
    if (part.kind === 'phrase') reader.readPhrase(part)
    else if (part.kind === 'other') reader.readOther(part.text)
  }
  return { terms: [...reader.terms.values()], pairs: pairsInBothOrders(reader.order) }
}

class TranslatedTerms {
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
      this.#add({
        word: text,
        stem: nth === 0 ? own : `${own}+${nth}`,
        isWhole: false,
        synonyms: [],
        meanings,
        isAbbreviation: false,
      })
    }
    const meant = new Set(slots.flat().map(stem))
    for (const part of inner) {
      if (part.length < SHORTEST_INNER_WORD && !containsCjk(part)) continue
      if (!meant.has(part))
        this.#add({ word: part, stem: part, isWhole: true, synonyms: [], meanings: [], isAbbreviation: false })
    }
  }

  /** Names, unknown words, and the rest of Japanese: its endings count only where tools have them, too. */
  readOther(text: string): void {
    tokenise(text, (word, advances) => {
      if (isStopWord(word)) return
      const stemmed = stem(word)
      const isWhole = !advances || HIRAGANA.test(word)
      this.#add({ word, stem: stemmed, isWhole, synonyms: synonymsOf(stemmed), meanings: [], isAbbreviation: false })
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

/** Neighbours in either order: English has `create invoice`, German and Japanese have the verb last. */
function pairsInBothOrders(order: readonly string[]): QueryPair[] {
  const pairs = new Map<string, QueryPair>()
  for (const [nth, first] of order.entries()) {
    const second = order[nth + 1]
    if (second === undefined || first === second || pairs.size + 1 >= MOST_QUERY_TERMS) continue
    pairs.set(`${first} ${second}`, { first, second })
    pairs.set(`${second} ${first}`, { first: second, second: first })
  }
  return [...pairs.values()]
}
