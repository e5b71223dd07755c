import { peer, type Ranker, type RankOne } from './ranker.ts'

const K1 = 1.2
const B = 0.75

/** Textbook BM25 over name and description with lower-case words: the floor that any ranker should clear. */
export const okapi: Ranker = peer('okapi', async (tools) => {
  const documents = tools.map((tool) => wordsOf(`${tool.name} ${tool.description ?? ''}`))
  return rankWith(
    tools.map((tool) => tool.id),
    documents,
  )
})

function rankWith(ids: readonly string[], documents: readonly (readonly string[])[]): RankOne {
  const meanLength = documents.reduce((sum, words) => sum + words.length, 0) / Math.max(documents.length, 1)
  const postings = postingsOf(documents)
  return (query, limit) => {
    const scores = new Map<number, number>()
    for (const word of wordsOf(query)) {
      const posting = postings.get(word) ?? new Map<number, number>()
      const idf = Math.log(1 + (documents.length - posting.size + 0.5) / (posting.size + 0.5))
      for (const [document, count] of posting) {
        const length = (documents[document]?.length ?? 0) / meanLength
        const score = (idf * count * (K1 + 1)) / (count + K1 * (1 - B + B * length))
        scores.set(document, (scores.get(document) ?? 0) + score)
      }
    }
    const best = [...scores].toSorted(([a, x], [b, y]) => y - x || a - b).slice(0, limit)
    return best.map(([document]) => ids[document] ?? '')
  }
}

/** For each word, how often each document has it. */
function postingsOf(documents: readonly (readonly string[])[]): Map<string, Map<number, number>> {
  const postings = new Map<string, Map<number, number>>()
  for (const [document, words] of documents.entries()) {
    for (const word of words) {
      const posting = postings.get(word) ?? new Map<number, number>()
      postings.set(word, posting.set(document, (posting.get(document) ?? 0) + 1))
    }
  }
  return postings
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
