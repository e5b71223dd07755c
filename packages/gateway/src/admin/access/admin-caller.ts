/** An authenticated user of the admin API. */
export interface AdminCaller {
  /** The id of the admin token; `local` for the commands of this program on the same machine. */
  readonly tokenId: string
  readonly name: string
  readonly via: 'token' | 'session' | 'local'
  /** Whether the caller has just proven its identity: with a token in this request, or by a sign-in of the last minutes. */
  readonly isFresh: boolean
  /** When the session expires, in epoch milliseconds; absent without a session. */
  readonly expiresAt?: number
}

/** The owner of the data folder on this machine, with all rights. */
export const LOCAL_ADMIN: AdminCaller = Object.freeze({
  tokenId: 'local',
  name: 'local',
  via: 'local',
  isFresh: true,
})
