/** Why a Search API could not be used this time: a sentence for people, without anything that it wrote. */
export class SearchApiFailure extends Error {
  override readonly name = 'SearchApiFailure'
  /** It works, but will not take this: the token, the project or the request. Another project may fare better. */
  readonly isRefusal: boolean

  constructor(reason: string, options: ErrorOptions & { readonly isRefusal?: boolean } = {}) {
    const { isRefusal = false, ...errorOptions } = options
    super(reason, errorOptions)
    this.isRefusal = isRefusal
  }
}
