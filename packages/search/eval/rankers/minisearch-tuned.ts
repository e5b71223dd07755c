import MiniSearch from 'minisearch'
import { documentOf } from './document.ts'
import { peer, type Ranker } from './ranker.ts'

/**
 * MiniSearch tuned for tools: split identifiers, no stop words, boosted fields, a little prefix and
 * fuzzy.
 */
export const minisearchTuned: Ranker = peer('minisearch-tuned', async (tools) => {
  const index = new MiniSearch({
    fields: ['name', 'server', 'description'],
    tokenize: splitWords,
    processTerm: (term) => (STOP_WORDS.has(term) ? null : term),
    searchOptions: {
      boost: { name: 3, server: 2 },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.15 : false),
    },
  })
  index.addAll(tools.map(documentOf))
  return (query, limit) =>
    index
      .search(query)
      .slice(0, limit)
      .map((hit) => String(hit.id))
})

function splitWords(text: string): string[] {
  const spaced = text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
  return spaced.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

const STOP_WORDS = new Set(
  `a about all also am an and any are as at be been but by can could did do does for from get give had has have how i
  if in into is it its just let like make me more my need of on one or our out please so some that the their them then
  there these they this to up us use using want was we what when where which who will with would you your`.split(/\s+/),
)
