type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

interface Frame {
  readonly values: readonly Json[]
  /** Absent for a list. */
  readonly keys: readonly string[] | undefined
  next: number
}

/**
 * Plain data as JSON text, however deep: the platform's own writer gives up after some thousand levels, and a schema of
 * ten thousand is a valid definition.
 */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return writeDeep(value as Json)
  }
}

function writeDeep(root: Json): string {
  const parts: string[] = []
  const open: Frame[] = []
  const write = (value: Json): void => {
    if (typeof value !== 'object' || value === null) {
      parts.push(JSON.stringify(value))
      return
    }
    const keys = Array.isArray(value) ? undefined : Object.keys(value)
    parts.push(keys === undefined ? '[' : '{')
    open.push({ values: Object.values(value), keys, next: 0 })
  }
  write(root)
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    const position = frame.next++
    const value = frame.values[position]
    if (value === undefined) {
      parts.push(frame.keys === undefined ? ']' : '}')
      open.pop()
      continue
    }
    if (position > 0) parts.push(',')
    if (frame.keys !== undefined) parts.push(JSON.stringify(frame.keys[position]), ':')
    write(value)
  }
  return parts.join('')
}
