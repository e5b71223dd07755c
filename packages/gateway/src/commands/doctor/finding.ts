/** The result of one check. */
export interface Finding {
  readonly about: string
  readonly state: 'fine' | 'remark' | 'wrong'
  /** A sentence. */
  readonly message: string
  /** What to do about it. */
  readonly remedy?: string
}

/** A check without a problem. */
export const fine = (about: string, message: string): Finding => ({ about, state: 'fine', message })

/** Worth knowing, but not a problem. */
export const remark = (about: string, message: string, remedy: string): Finding => ({
  about,
  state: 'remark',
  message,
  remedy,
})

/** A problem: something does not work or is not safe. */
export const wrong = (about: string, message: string, remedy?: string): Finding => ({
  about,
  state: 'wrong',
  message,
  ...(remedy !== undefined && { remedy }),
})
