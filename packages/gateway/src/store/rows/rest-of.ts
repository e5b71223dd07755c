/** What is left of a configuration when the named keys have columns of their own, as text. */
export function restOf(config: object, ...columns: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(Object.entries(config).filter(([key]) => !columns.includes(key))))
}

/** Leaves out what is not said. */
export function said<Value extends object>(value: Value): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as {
    [Key in keyof Value]: Exclude<Value[Key], undefined>
  }
}

/** A flag as it is kept; null where nothing is said. */
export function toFlag(value: boolean | undefined): 0 | 1 | null {
  if (value === undefined) return null
  return value ? 1 : 0
}

/** What a flag says, if anything. */
export function fromFlag(flag: 0 | 1 | null): boolean | undefined {
  return flag === null ? undefined : flag === 1
}

/** A value as text; null where there is none. */
export function toJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

/** The value that a text has, if there is one. */
export function fromJson<Value>(text: string | null): Value | undefined {
  return text === null ? undefined : (JSON.parse(text) as Value)
}
