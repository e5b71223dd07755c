// The SDK uses the web's Request and Response. Bodies of requests are parsed already and do not cross.

import type { ServerResponse } from 'node:http'
import type { RequestHead } from '../mcp/http-exchange.ts'
import { drained } from '../mcp/reply.ts'

/** The request as the SDK expects it; its signal aborts when the client disconnects. */
export function webRequest(req: RequestHead, res: ServerResponse): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(req.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  const controller = new AbortController()
  const { signal } = controller
  const request = new Request('http://gateway/mcp', { method: req.method ?? 'GET', headers, signal })
  res.once('close', () => {
    // Referring to the request here keeps it: the signal of one that is collected no longer follows ours.
    if (!request.signal.aborted) controller.abort()
  })
  return request
}

/** Writes a web response as fast as the client reads. A client that disconnects cancels its body. */
export async function writeResponse(res: ServerResponse, response: Response): Promise<void> {
  const reader = response.body?.getReader()
  if (res.destroyed) return reader?.cancel()
  res.once('close', () => void reader?.cancel().catch(() => undefined))
  res.writeHead(response.status, Object.fromEntries(response.headers))
  // Clients wait for the headers of a stream, also if there is no event yet.
  res.flushHeaders()
  for (;;) {
    const next = await reader?.read()
    if (next === undefined || next.done || res.destroyed) break
    if (!res.write(next.value)) await drained(res)
  }
  res.end()
}
