/** What any model reads of a text: more than its window, and nobody has to count its tokens. */
const MOST_CHARACTERS = 8_000
const MOST_TEXTS = 32
const MOST_CHARACTERS_A_BATCH = 32_000

/** Texts for one request, and where their vectors belong. */
export interface Batch {
  readonly texts: readonly string[]
  readonly places: readonly number[]
}

/**
 * Cuts texts up into requests of bounded size. Long texts are cut, halves of characters mended, and blank ones left
 * out, because services refuse them.
 */
export function batchesOf(texts: readonly string[]): Batch[] {
  let batch = emptyBatch()
  const batches = [batch]
  for (const [place, text] of texts.entries()) {
    const sent = text.slice(0, MOST_CHARACTERS).toWellFormed()
    if (sent.trim() === '') continue
    if (batch.texts.length === MOST_TEXTS || batch.characters + sent.length > MOST_CHARACTERS_A_BATCH) {
      batch = emptyBatch()
      batches.push(batch)
    }
    batch.texts.push(sent)
    batch.places.push(place)
    batch.characters += sent.length
  }
  return batches.filter(({ places }) => places.length > 0)
}

function emptyBatch(): { texts: string[]; places: number[]; characters: number } {
  return { texts: [], places: [], characters: 0 }
}
