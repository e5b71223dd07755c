/** Who uses the admin API; proven before anybody is asked anything. */
export interface AdminCaller {
  /** Of the admin token; `local` for the program's own commands on this machine. */
  readonly tokenId: string
  readonly name: string
  readonly via: 'token' | 'session' | 'local'
  /** Of a session, in epoch milliseconds. */
  readonly expiresAt?: number
}

/** The owner of the data folder, on this machine: may do everything. */
export const LOCAL_ADMIN: AdminCaller = Object.freeze({ tokenId: 'local', name: 'local', via: 'local' })
