/** What was looked at, and what came of it. */
export interface Finding {
  readonly about: string
  readonly state: 'fine' | 'remark' | 'wrong'
  /** A sentence. */
  readonly message: string
  /** What to do, where something can be done. */
  readonly remedy?: string
}

/** Nothing to do. */
export const fine = (about: string, message: string): Finding => ({ about, state: 'fine', message })

/** Worth knowing; nothing is broken. */
export const remark = (about: string, message: string, remedy: string): Finding => ({
  about,
  state: 'remark',
  message,
  remedy,
})

/** Something does not work, or is not safe. */
export const wrong = (about: string, message: string, remedy?: string): Finding => ({
  about,
  state: 'wrong',
  message,
  ...(remedy !== undefined && { remedy }),
})
