/** An embedder for tests: no meaning, but texts that share words, or parts of them, are near each other. */
import type { Embedder } from './embedder.ts'
import { normaliseText } from '../../text/normalise.ts'

const DIMENSIONS = 300

/** An embedder that need not be waited for. */
type InstantEmbedder = Required<Omit<Embedder, 'weight' | 'language'>>

/** Embeds at once. Words that `alike` joins mean the same. */
export function toyEmbedder(id = 'toy', alike: ReadonlyMap<string, string> = new Map()): InstantEmbedder {
  const known = new Map<string, Float32Array>()
  const embedNow = (text: string): Float32Array => {
    const vector = known.get(text) ?? vectorOf(text, alike)
    known.set(text, vector)
    return vector
  }
  return {
    id,
    dimensions: DIMENSIONS,
    embedNow,
    embed: async (texts, options) => {
      options?.signal?.throwIfAborted()
      return texts.map(embedNow)
    },
  }
}

/** The same for embedders that have to be waited for. */
export function waitingEmbedder(id = 'waiting', alike?: ReadonlyMap<string, string>): Embedder {
  const { embedNow: _, ...waiting } = toyEmbedder(id, alike)
  return waiting
}

function vectorOf(text: string, alike: ReadonlyMap<string, string>): Float32Array {
  const vector = new Float32Array(DIMENSIONS)
  const words = normaliseText(text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')).match(/[\p{L}\p{N}]+/gu) ?? []
  for (const word of words.slice(0, 500)) addWord(vector, alike.get(word) ?? word)
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}

function addWord(vector: Float32Array, word: string): void {
  for (let start = 0; start + 2 < word.length || start === 0; start++) {
    let hash = 2166136261
    for (const letter of word.slice(start, start + 3)) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619)
    const place = (hash >>> 8) % DIMENSIONS
    vector[place] = (vector[place] as number) + ((hash & 16) === 0 ? 1 : -1)
  }
}
