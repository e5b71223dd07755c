/** What a request came to: its result, or the code of its error. */
export type Outcome = { readonly result: Readonly<Record<string, unknown>> } | { readonly failure: string }

/** Sends one request of 2026-07-28, without a session. */
export async function send(
  url: string,
  secret: string,
  method: 'tools/list' | 'tools/call',
  params: Readonly<Record<string, unknown>> = {},
): Promise<Outcome> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'load', version: '1' },
  }
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...('name' in params && { 'mcp-name': String(params['name']) }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
    })
    const text = await response.text()
    const code = /"code":"([A-Z_]+)"/.exec(text)?.[1]
    if (code !== undefined) return { failure: code }
    // An answer after notifications is the last event of a stream.
    const { result } = JSON.parse(text.slice(text.lastIndexOf('{"jsonrpc"'))) as {
      result?: Readonly<Record<string, unknown>>
    }
    return result === undefined ? { failure: `${response.status} ${text.slice(0, 80)}` } : { result }
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}
