/** Something that is wrong in a configuration, and where. */
export interface ConfigProblem {
  /** The way to the place: keys and positions. */
  readonly path: readonly (string | number)[]
  /** A sentence without its subject: "unknown key; did you mean command?". */
  readonly message: string
  /** Whether the key at the end of the path is wrong, rather than its value. */
  readonly isKey?: boolean
}

/** The place as people write it: `mcpServers.github.args[0]`, and quoted where a key has odd characters. */
export function placeOf(path: ConfigProblem['path']): string {
  return path.reduce<string>((place, step) => {
    if (typeof step === 'number') return `${place}[${step}]`
    if (!/^[\w$-]+$/.test(step)) return `${place}[${JSON.stringify(step)}]`
    return place === '' ? step : `${place}.${step}`
  }, '')
}
