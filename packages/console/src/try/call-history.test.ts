import { expect, it } from 'vitest'
import { forgetCalls, keepCall, type PastCall, pastCalls } from './call-history.ts'

function storageOf(text: string | null = null) {
  let kept = text
  return {
    getItem: () => kept,
    setItem: (_name: string, value: string) => {
      kept = value
    },
    text: () => kept ?? '',
  }
}
const call = (tool: string, args: Record<string, unknown>): PastCall => ({
  ...{ tool, project: 'p', arguments: args, at: 1, outcome: 'ok', ms: 2 },
})

it('keeps the latest calls of a tool, each once', () => {
  const storage = storageOf()
  for (let number = 0; number < 30; number++) keepCall(call('a:x', { number: number % 15 }), storage)
  keepCall(call('a:y', {}), storage)
  expect(pastCalls('a:x', storage).map((each) => each.arguments['number'])).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5])
  forgetCalls('a:x', storage)
  expect(pastCalls('a:x', storage)).toEqual([])
  expect(pastCalls('a:y', storage)).toHaveLength(1)
})

it('keeps no secret, at any depth, and nothing large', () => {
  const storage = storageOf()
  keepCall(call('a:x', { q: 1, apiKey: 's3cret', in: [{ password: 's3cret', user: 'ann' }] }), storage)
  keepCall(call('a:z', { text: 'x'.repeat(30_000) }), storage)
  expect(pastCalls('a:x', storage)[0]?.arguments).toEqual({ q: 1, in: [{ user: 'ann' }] })
  expect(storage.text()).not.toContain('s3cret')
  expect(pastCalls('a:z', storage)).toEqual([])
})

it('survives a damaged and a full storage', () => {
  expect(pastCalls('a:x', storageOf('{'))).toEqual([])
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new Error('QuotaExceededError')
    },
  }
  expect(() => keepCall(call('a:x', {}), full)).not.toThrow()
})
