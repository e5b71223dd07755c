const BRIDGE = /^(?:mcp-remote|@[\w.-]+\/mcp-remote)(?:@[\w.-]+)?$/

/** An address that a program of the client only forwards to. */
export interface Bridge {
  readonly transport: 'http'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** The address behind `mcp-remote`, with the headers of its arguments. */
export function bridgeOf(
  command: unknown,
  args: readonly string[],
  env: ReadonlyMap<string, string>,
): Bridge | undefined {
  const words = [typeof command === 'string' ? command : '', ...args]
  const at = words.findIndex((word) => BRIDGE.test(word))
  const url = at < 0 ? undefined : words.slice(at + 1).find((word) => /^https?:\/\//.test(word))
  if (url === undefined) return undefined
  const headers = words.flatMap((word, index) => {
    const [, name, value] = /^([^:]+):\s*(.*)$/.exec(word) ?? []
    if (words[index - 1] !== '--header' || name === undefined) return []
    const filled = (value ?? '').replace(/\$\{(\w+)\}/g, (whole, key: string) => env.get(key) ?? whole)
    return [[name, filled] as const]
  })
  return { transport: 'http', url, headers: Object.fromEntries(headers) }
}
