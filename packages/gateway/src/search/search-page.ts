import { createHmac } from 'node:crypto'
import type { RequestContext } from '../calls/call.ts'
import { GatewayError } from '../errors.ts'
import type { ResolvedDisclosure } from '../model/settings.ts'
import type { FoundTool, SearchAnswered, SearchAsk } from './search-outcome.ts'

/** Hits beyond this number are not ranked. */
const MOST_RANKED = 1_000
const MOST_OFFSET = 0xffff
// A cursor is 9 bytes, because models repeat it: the offset (2) and the seal (7).
const SEAL_BYTES = 7
const CURSOR = /^[\w-]{12}$/

/** The asker, and everything beside the question that the hits depend on. */
type Asker = Pick<RequestContext, 'tokenId' | 'projectId' | 'endpointId'>

/**
 * The page of an answer that a search asks for. A cursor is sealed: it is good for the same question of the same token, and
 * only while the hits before it are the same, so that the pages of a list neither overlap nor leave anything out.
 */
export class SearchPage {
  readonly #cursor: string | undefined
  readonly #sealOf: (offset: number, answeredBy: string, seen: readonly FoundTool[]) => Buffer
  readonly #isPaged: boolean
  readonly #offset: number
  readonly #size: number

  /**
   * @param isPaged false for providers that may rank the same hits differently the next time
   * @throws GatewayError INVALID_ARGUMENTS if the cursor is none
   */
  constructor(ask: SearchAsk, settings: ResolvedDisclosure, asker: Asker, isPaged: boolean) {
    this.#cursor = ask.cursor
    this.#isPaged = isPaged
    this.#size = ask.maxResults
    this.#offset = ask.cursor === undefined ? 0 : offsetIn(ask.cursor)
    const question = questionOf(ask, settings, asker)
    // The key need not be secret, and is the same in every replica: a cursor is a place in the caller's own list.
    this.#sealOf = (offset, answeredBy, seen) =>
      createHmac('sha256', asker.tokenId)
        .update(JSON.stringify([question, offset, answeredBy, ...seen.map(({ tool }) => tool.key)]))
        .digest()
        .subarray(0, SEAL_BYTES)
  }

  /** How many hits have to be ranked for this page, and to know whether there is another. */
  get rankedCount(): number {
    const end = this.#offset + this.#size
    return this.#isPaged ? Math.min(end + 1, MOST_RANKED) : end
  }

  /** @throws GatewayError INVALID_ARGUMENTS if the cursor is of another list, or the list has changed */
  of(hits: readonly FoundTool[], answeredBy: string): Required<Pick<SearchAnswered, 'found' | 'cursorAfter'>> {
    const cursorAt = (offset: number): string => {
      const place = Buffer.alloc(2)
      place.writeUInt16BE(offset)
      return Buffer.concat([place, this.#sealOf(offset, answeredBy, hits.slice(0, offset))]).toString('base64url')
    }
    if (this.#cursor !== undefined && this.#cursor !== cursorAt(this.#offset)) throw wrongCursor(OUTDATED)
    return {
      found: hits.slice(this.#offset, this.#offset + this.#size),
      cursorAfter: (shown) => {
        const offset = this.#offset + shown
        return this.#isPaged && offset < hits.length && offset <= MOST_OFFSET ? cursorAt(offset) : undefined
      },
    }
  }
}

const OUTDATED =
  'The cursor does not continue this answer: the question is another one, or the tools have changed. Search again without cursor'

function offsetIn(cursor: string): number {
  if (!CURSOR.test(cursor)) throw wrongCursor('This is no cursor. Pass nextCursor exactly as it was given')
  return Buffer.from(cursor, 'base64url').readUInt16BE(0)
}

function wrongCursor(reason: string): GatewayError {
  return new GatewayError('INVALID_ARGUMENTS', { field: 'cursor', reason })
}

function questionOf(ask: SearchAsk, settings: ResolvedDisclosure, asker: Asker): readonly unknown[] {
  const { queries, context = '', servers = [], readOnly = false } = ask
  const { strategy, searchThreshold } = settings
  return [asker.projectId, asker.endpointId, strategy, searchThreshold, context, readOnly, servers, queries]
}
