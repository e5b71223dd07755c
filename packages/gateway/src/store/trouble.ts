/** What an error of a database means for who waits: it may pass, it will not by itself, the data is damaged, or it is the asker's. */
export interface Trouble {
  readonly kind: 'passing' | 'lasting' | 'corrupt' | 'askers'
  /** A part of a sentence. Never what was asked. */
  readonly reason: string
  readonly remedy?: string
}

/** What nobody waits for: the store was closed. */
export const CLOSED: Trouble = { kind: 'lasting', reason: 'it is closed', remedy: 'Start the gateway again.' }

/** An error that is about what was asked, not about the database. */
export const ASKERS: Trouble = { kind: 'askers', reason: '' }
