import type { SavedReader, SavedWriter } from '../../../saved/saved-parts.ts'
import { foldCase } from '../../../text/normalise.ts'
import { splitIdentifier } from '../../../text/split-identifier.ts'
import { LONGEST_WHOLE } from '../../../text/tokenise.ts'

/** Names of which a document has the whole as a word: nearly all. */
const ONE_TOKEN = /^[A-Za-z0-9]+(?:[_.-][A-Za-z0-9]+)*$/

/**
 * The documents by name, for names that are no word of their document: with spaces or slashes, very long ones, those in
 * scripts without spaces.
 */
export class UntokenizedNames {
  readonly #documents = new Map<string, Set<number>>()

  add(name: string, document: number): void {
    const folded = isOneToken(name) ? '' : foldName(name)
    if (folded === '') return
    const known = this.#documents.get(folded)
    if (known === undefined) this.#documents.set(folded, new Set([document]))
    else known.add(document)
  }

  delete(name: string, document: number): void {
    if (isOneToken(name)) return
    const folded = foldName(name)
    const known = this.#documents.get(folded)
    known?.delete(document)
    if (known?.size === 0) this.#documents.delete(folded)
  }

  save(to: SavedWriter): void {
    to.json(
      'corpus.untokenizedNames',
      [...this.#documents].map(([name, documents]) => [name, [...documents]]),
    )
  }

  restore(from: SavedReader): void {
    for (const [name, documents] of from.json('corpus.untokenizedNames') as readonly [string, readonly number[]][]) {
      this.#documents.set(name, new Set(documents))
    }
  }

  /** The documents whose name is untokenized and folds to this. */
  get(folded: string): Iterable<number> {
    return this.#documents.get(folded) ?? []
  }
}

/** A name without regard to case and to what stands between its words. */
export function foldName(name: string): string {
  return foldCase(splitIdentifier(name).join(''))
}

function isOneToken(name: string): boolean {
  return name.length <= LONGEST_WHOLE && ONE_TOKEN.test(name)
}
