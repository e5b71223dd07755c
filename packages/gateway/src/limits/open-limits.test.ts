import { describe, expect, it } from 'vitest'
import { differenceOf, fileHash } from './open-limits.ts'

const [OLD, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const hashOf = (value: unknown, ...keys: readonly Buffer[]): string =>
  fileHash(
    () => value,
    () => (keys.length > 0 ? keys : [OLD]),
  )()

describe('fileHash', () => {
  it('is the same for replicas that differ in what each has of its own: address, folder, database, log', () => {
    const own = (at: string) => ({
      ...{ listen: { host: at, replicaUrl: `http://${at}:7420`, allowedHosts: [at] }, dataDir: `/data/${at}` },
      ...{ database: `postgres://${at}/t`, logLevel: at, telemetry: { otlpEndpoint: `http://${at}` } },
    })
    const shared = { mcpServers: { s: { command: 'x' } }, rateLimits: { tokenPerMinute: 30 } }
    expect(hashOf({ ...shared, ...own('10.0.0.1') })).toBe(hashOf({ ...own('10.0.0.2'), ...shared }))
    expect(hashOf({ ...shared, ...own('10.0.0.1') })).toBe(hashOf(shared))
  })

  it('differs with everything else', () => {
    const values = [{}, { mcpServers: {} }, { rateLimits: { tokenPerMinute: 30 } }, { trust: 'off' }]
    expect(new Set(values.map((value) => hashOf(value))).size).toBe(values.length)
  })

  it('tells replicas with another key from those with another file, also while the key is changed', () => {
    const [file, another] = [{ trust: 'off' }, { trust: 'strict' }]
    expect(differenceOf(hashOf(file, OLD), hashOf(file, NEW))).toBe('key')
    const changes = [
      [[OLD], [OLD, NEW]],
      [
        [OLD, NEW],
        [NEW, OLD],
      ],
      [[NEW, OLD], [NEW]],
    ] as const
    for (const [before, after] of changes) {
      expect(differenceOf(hashOf(file, ...before), hashOf(file, ...after))).toBeUndefined()
      expect(differenceOf(hashOf(file, ...before), hashOf(another, ...after))).toBe('file')
    }
  })
})
