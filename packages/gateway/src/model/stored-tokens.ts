import { type MapSteps, SortedMap } from './sorted-map.ts'
import type { StoredToken } from './stored-state.ts'

/** The stored tokens, found by id, hash or name. Immutable: a changed copy shares what did not change. */
export class StoredTokens implements Iterable<StoredToken> {
  readonly #byId: SortedMap<StoredToken>
  readonly #byHash: SortedMap<StoredToken>
  readonly #byName: SortedMap<StoredToken>
  readonly #admins: SortedMap<StoredToken>

  private constructor(maps: readonly SortedMap<StoredToken>[]) {
    const [byId = SortedMap.of(), byHash = byId, byName = byId, admins = byId] = maps
    this.#byId = byId
    this.#byHash = byHash
    this.#byName = byName
    this.#admins = admins
    Object.freeze(this)
  }

  static of(tokens: readonly StoredToken[] = []): StoredTokens {
    return new StoredTokens([
      SortedMap.of(tokens.map((token) => [token.id, token])),
      SortedMap.of(tokens.map((token) => [token.hash, token])),
      SortedMap.of(tokens.map((token) => [nameKey(token), token])),
      SortedMap.of(tokens.filter(isAdmin).map((token) => [token.id, token])),
    ])
  }

  /** Like `of`, in steps. */
  static *steps(tokens: readonly StoredToken[]): MapSteps<StoredTokens> {
    return new StoredTokens([
      yield* SortedMap.steps(tokens, ({ id }) => id),
      yield* SortedMap.steps(tokens, ({ hash }) => hash),
      yield* SortedMap.steps(tokens, nameKey),
      yield* SortedMap.steps(tokens.filter(isAdmin), ({ id }) => id),
    ])
  }

  get size(): number {
    return this.#byId.size
  }

  /** The admin tokens, which are few. */
  get admins(): readonly StoredToken[] {
    return [...this.#admins.values()]
  }

  get(id: string): StoredToken | undefined {
    return this.#byId.get(id)
  }

  withHash(hash: string): StoredToken | undefined {
    return this.#byHash.get(hash)
  }

  /** What is made of each token, by hash, when it is first looked up. */
  byHash<Made>(make: (token: StoredToken) => Made): SortedMap<Made> {
    return this.#byHash.mapped(make)
  }

  /** The token with this name or id, ignoring case. */
  named(name: string): StoredToken | undefined {
    const plain = plainName(name)
    const [first] = this.#byName.after(`${plain}\0`)
    if (first?.[0].startsWith(`${plain}\0`) === true) return first[1]
    return this.#byId.get(name.trim()) ?? this.#byId.get(plain)
  }

  /** The tokens in the order of their names, from the one after a key of {@link nameKey}. */
  *afterName(key: string): IterableIterator<StoredToken> {
    for (const [, token] of this.#byName.after(key)) yield token
  }

  /** A copy with these tokens, and without others. */
  with(tokens: readonly StoredToken[], removed: readonly string[] = []): StoredTokens {
    const old = [...removed, ...tokens.map(({ id }) => id)].flatMap((id) => this.#byId.get(id) ?? [])
    const changed = (keyOf: (token: StoredToken) => string, added = tokens) => [
      ...old.map((token) => [keyOf(token), undefined] as const),
      ...added.map((token) => [keyOf(token), token] as const),
    ]
    const idOf = ({ id }: StoredToken): string => id
    return new StoredTokens([
      this.#byId.with(changed(idOf)),
      this.#byHash.with(changed(({ hash }) => hash)),
      this.#byName.with(changed(nameKey)),
      this.#admins.with(changed(idOf, tokens.filter(isAdmin))),
    ])
  }

  /** The ids of the tokens that are not the same objects in both. */
  changedSince(before: StoredTokens): ReadonlySet<string> {
    return this.#byId.changedSince(before.#byId)
  }

  [Symbol.iterator](): IterableIterator<StoredToken> {
    return this.#byId.values()
  }
}

const isAdmin = ({ kind }: StoredToken): boolean => kind === 'admin'

const plainName = (name: string): string => name.trim().toLowerCase()

/** Orders tokens by name. Names are unique, except in databases that were edited by hand. */
export function nameKey({ name, id }: Pick<StoredToken, 'name' | 'id'>): string {
  return `${plainName(name)}\0${id}`
}
