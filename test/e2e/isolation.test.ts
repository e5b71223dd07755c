// Many clients whose ids all count from zero, each asking for its own nonce: no client gets another's answer.

import { expect, it } from 'vitest'
import { type ClientKind, type TestClient, textOf } from '../kit/clients.ts'
import { fixtureServer } from '../kit/fixture-server.ts'
import { gatewayWith } from '../kit/gateway.ts'

const KINDS: readonly ClientKind[] = ['modern', 'legacy', 'v1', 'sse']
const CLIENTS = 56
const ROUNDS = 10
const AT_ONCE = 6

const TOOLS = ['later', 'progress', 'hang'].map((name) => ({ name, inputSchema: { type: 'object' } }))
const ANSWERS = [
  ['later', 'later'],
  ['progress', 'progress'],
  ['hang', 'hang'],
] as const

it('gives each of 56 clients its own answers, progress and cancellations, over all transports at once', async () => {
  await using gateway = await gatewayWith({
    servers: {
      s: fixtureServer({ tools: TOOLS, answers: ANSWERS }, { limits: { maxConcurrentCalls: 1_000 } }),
    },
    endpoints: { default: { exposure: 'full' }, meta: { exposure: 'meta-tools' } },
    tokens: { a: {}, b: {} },
  })
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, (_, at) => {
      const kind = KINDS[at % KINDS.length] ?? 'modern'
      return gateway.newClient(kind, at % 8 < 4 ? undefined : 'meta', at % 3 === 0 ? 'a' : 'b')
    }),
  )
  const random = seededRandom(20260728)
  const wrong: string[] = []
  let calls = 0
  const work = async (client: TestClient, at: number): Promise<void> => {
    const isDirect = at % 8 < 4
    const call = (tool: string, args: object, options = {}) =>
      isDirect
        ? client.call(`s__${tool}`, { ...args }, options)
        : client.call('tool_execute', { toolKey: `s:${tool}`, arguments: args }, options)
    for (let round = 0; round < ROUNDS; round++) {
      const asked = Array.from({ length: AT_ONCE }, async (_, turn) => {
        const nonce = `client ${at} round ${round} turn ${turn}`
        const answer = textOf(await call('later', { nonce, ms: Math.floor(random() * 20) }))
        calls++
        if (JSON.parse(answer).nonce !== nonce) wrong.push(`${nonce} got ${answer}`)
      })
      await Promise.all(asked)
      if (round === at % ROUNDS) await Promise.all([withProgress(call, at), cancelled(call)])
    }
  }
  const withProgress = async (call: Call, at: number): Promise<void> => {
    const nonce = `progress of client ${at}`
    const onprogress = ({ message }: { message?: string | undefined }): void => {
      if (message !== nonce) wrong.push(`${nonce} heard ${message}`)
    }
    const answer = textOf(await call('progress', { nonce }, { onprogress }))
    calls++
    if (JSON.parse(answer) !== nonce) wrong.push(`${nonce} got ${answer}`)
  }
  const cancelled = async (call: Call): Promise<void> => {
    const controller = new AbortController()
    const hung = call('hang', {}, { signal: controller.signal }).then(
      (answer) => wrong.push(`a hung call got ${JSON.stringify(answer)}`),
      () => calls++,
    )
    setTimeout(() => controller.abort(), 5)
    await hung
  }
  await Promise.all(clients.map(work))
  expect(wrong).toEqual([])
  expect(calls).toBe(CLIENTS * (ROUNDS * AT_ONCE + 2))
}, 60_000)

type Call = (tool: string, args: object, options?: object) => Promise<Readonly<Record<string, unknown>>>

/** The same jitter in every run. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}
