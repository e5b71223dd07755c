const VERBS = ['archive', 'create', 'delete', 'export', 'find', 'list', 'merge', 'publish', 'rename', 'send']
const NOUNS = ['branch', 'contract', 'folder', 'invoice', 'mail', 'meeting', 'order', 'picture', 'report', 'ticket']
const PLACES = ['accounting', 'archive', 'calendar', 'chat', 'cloud', 'shop', 'tracker', 'warehouse', 'website', 'wiki']

export const SERVERS = 500
export const TOOLS_EACH = 40

/** The name of a tool of every server. */
export const toolName = (nth: number): string => `${VERBS[nth % 10]}_${NOUNS[Math.floor(nth / 10) % 10]}_${nth}`

/** By server id, the tools of many servers. */
export function manyTools(): Record<string, object[]> {
  return Object.fromEntries(
    Array.from({ length: SERVERS }, (_, server) => [
      `s${server}`,
      Array.from({ length: TOOLS_EACH }, (__, nth) => tool(server, nth)),
    ]),
  )
}

function tool(server: number, nth: number): object {
  const [verb, noun, place] = [VERBS[nth % 10], NOUNS[Math.floor(nth / 10) % 10], PLACES[server % 10]]
  return {
    name: toolName(nth),
    description: `Lets you ${verb} a ${noun} of the ${place}, in region ${server}.`,
    inputSchema: { type: 'object', properties: { id: { type: 'string', description: `The ${noun} to ${verb}` } } },
  }
}
