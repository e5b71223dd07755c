// Regular and irregular requests with their answers. Except for the two names in `OURS`, the
// answers were recorded from the server of the SDK, version 2.4.0.

import { readFileSync } from 'node:fs'
import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beginSession, messagesOf, openListener, POLITE } from '../http/listener.case.ts'

interface Recorded {
  readonly name: string
  readonly inSession?: true
  readonly method?: string
  /** Beside the usual ones; null = left out. */
  readonly headers?: Readonly<Record<string, string | null>>
  readonly body?: unknown
  readonly answer: {
    readonly status: number
    readonly allow?: string
    readonly hasSession?: true
    readonly messages: readonly JsonObject[]
    /** The requests that reached the handler. */
    readonly asked: readonly JsonObject[]
  }
}

const OURS: readonly string[] = ['no session: initialize without an id', 'session: a malformed second initialize']

const RECORDED = readFileSync(new URL('./recorded-answers.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded)

let gateway: Awaited<ReturnType<typeof openListener>>
beforeAll(async () => {
  gateway = await openListener()
})
afterAll(() => gateway.server.close())

/** Lists of tools are compared elsewhere. */
function shortened(message: JsonObject): JsonObject {
  const { result } = message
  return isRecord(result) && 'tools' in result ? { ...message, result: { ...result, tools: 'all' } } : message
}

describe('A request', () => {
  it('is in the table once', () => {
    expect(new Set(RECORDED.map(({ name }) => name)).size).toBe(RECORDED.length)
    expect(RECORDED.map(({ name }) => name)).toEqual(expect.arrayContaining([...OURS]))
  })

  it.each(RECORDED)('is answered as recorded: $name', async ({ inSession, method = 'POST', headers, body, answer }) => {
    const usual = inSession === true ? await beginSession(`${gateway.url}/mcp`) : POLITE
    const sent = Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== null) as [string, string][]
    const before = gateway.handler.asked.length
    const response = await fetch(`${gateway.url}/mcp`, {
      method,
      headers: sent,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const messages = await messagesOf(response)
    const allow = response.headers.get('allow')
    expect({
      status: response.status,
      ...(allow !== null && { allow }),
      ...(response.headers.has('mcp-session-id') && { hasSession: true }),
      messages: messages.map(shortened),
      asked: gateway.handler.asked.slice(before).map(({ request }) => request),
    }).toEqual(answer)
  })
})
