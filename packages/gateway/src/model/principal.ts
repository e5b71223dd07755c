/** The token id of the owner of the data folder on this machine: commands of this program. */
export const LOCAL_TOKEN_ID = 'local'

/** The identity and rights of a token. Made from the `Authorization` header only; over stdio from the environment. */
export interface Principal {
  /** The token's id; never the secret. */
  readonly tokenId: string
  readonly name: string
  /** Project ids that the token may use; absent means all. */
  readonly projects?: ReadonlySet<string>
  /** Server ids that the token may use; absent means all of the project. */
  readonly servers?: ReadonlySet<string>
  /** Tool keys that the token may use; absent means all of the servers. */
  readonly tools?: ReadonlySet<string>
  /** Restricts the token to tools with `readOnlyHint: true`. */
  readonly readOnly: boolean
  /** Epoch milliseconds; absent means never. */
  readonly expiresAt?: number
}
