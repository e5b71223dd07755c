/** What a removal did. */
export interface Removal {
  readonly removed: string
  /** What could not exist without it. */
  readonly alsoRemoved: string[]
  /** What named it and now does not. */
  readonly narrowed: string[]
}
