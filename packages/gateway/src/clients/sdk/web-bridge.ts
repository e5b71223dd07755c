// The SDK speaks the web's Request and Response. Bodies never cross here: we have parsed them already.

import type { RequestHead, ResponseSink } from '../http/exchange.ts'
import { drained } from '../mcp/reply.ts'

/** The request as the SDK wants it; its signal aborts when the client goes away. */
export function webRequest(req: RequestHead, res: ResponseSink): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(req.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  const controller = new AbortController()
  res.once('close', () => controller.abort())
  return new Request('http://gateway/mcp', { method: req.method ?? 'GET', headers, signal: controller.signal })
}

/** Writes the SDK's response, as fast as the client reads; a client that goes away ends the SDK's stream. */
export async function writeResponse(res: ResponseSink, response: Response, status = response.status): Promise<void> {
  const reader = response.body?.getReader()
  if (res.destroyed) return reader?.cancel()
  res.once('close', () => void reader?.cancel().catch(() => undefined))
  res.writeHead(status, Object.fromEntries(response.headers))
  // Clients wait for the headers of a stream that has nothing to say yet.
  res.flushHeaders()
  for (;;) {
    const next = await reader?.read()
    if (next === undefined || next.done || res.destroyed) break
    if (!res.write(next.value)) await drained(res)
  }
  res.end()
}
