/** How people connect a client: what to type, or what to put into which file. */
export interface ConnectLine {
  readonly client: string
  readonly text: string
}

/** A line for each of the well-known clients. `docs/guide/connect-clients.md` has the long form. */
export function connectLines(url: string, token: string): ConnectLine[] {
  const header = `Authorization: Bearer ${token}`
  const headers = { Authorization: `Bearer ${token}` }
  return [
    { client: 'Claude Code', text: `claude mcp add --transport http tooldex ${url} --header "${header}"` },
    { client: 'Cursor', text: `~/.cursor/mcp.json  ${JSON.stringify({ mcpServers: { tooldex: { url, headers } } })}` },
    { client: 'VS Code', text: `code --add-mcp '${JSON.stringify({ name: 'tooldex', type: 'http', url, headers })}'` },
    {
      client: 'Codex',
      text: `TOOLDEX_TOKEN=${token} and: codex mcp add tooldex --url ${url} --bearer-token-env-var TOOLDEX_TOKEN`,
    },
    { client: 'Gemini CLI', text: `gemini mcp add --transport http --header "${header}" tooldex ${url}` },
  ]
}
