/** Where to read on in a kept result: the first of block, text, line and page that is given; else the first page. */
export interface ResultReading {
  readonly id: string
  readonly page?: number
  readonly line?: number
  /** With `line`: how many at most. */
  readonly lines?: number
  readonly find?: string
  readonly block?: number
}
