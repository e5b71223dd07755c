/** What a token proves during a request. Made only from the `Authorization` header (over stdio: from the environment). */
export interface Principal {
  /** The token's id; never the secret. */
  readonly tokenId: string
  readonly name: string
  /** Project ids that the token may use; absent = all. */
  readonly projects?: ReadonlySet<string>
  /** Server ids that the token may use; absent = all of the project. */
  readonly servers?: ReadonlySet<string>
  /** Only tools annotated `readOnlyHint: true`. */
  readonly readOnly: boolean
  /** Epoch milliseconds; absent = never. */
  readonly expiresAt?: number
}
