import { checkConfig, SECRET_MASK, type ServerConfig } from '@tooldex/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maskServer } from '../../model/server-secrets.ts'
import { unmaskServer } from './unmask-server.ts'

const plain = checkConfig({ mcpServers: { s: { command: 'x' } } }).config?.mcpServers?.['s'] as ServerConfig

const anyText = fc
  .oneof(
    fc.string(),
    fc.constantFrom('--token', '--api-key=a', '--api-key=b', 'KEY=v', '-e', '-H', 'https://a:b@c/?d=e', 'x'),
  )
  .filter((text) => !text.includes(SECRET_MASK))
const anyConfig = fc
  .record({
    args: fc.array(anyText),
    env: fc.dictionary(fc.string(), anyText),
    headers: fc.dictionary(fc.string(), anyText),
    url: fc.webUrl({ withQueryParameters: true }),
  })
  .map((parts): ServerConfig => ({ ...plain, ...parts }))

describe('unmaskServer', () => {
  it('restores a configuration that comes back as it was shown', () => {
    fc.assert(
      fc.property(anyConfig, (config) => {
        expect(unmaskServer(maskServer(config), config)).toEqual(config)
      }),
      { numRuns: 1_000 },
    )
  })

  it('restores each secret after its own option when others are added or removed', () => {
    const current = { ...plain, args: ['--token', 'one', '--password', 'two', 'end'] }
    const sent = { ...plain, args: ['new', '--password', SECRET_MASK, '--token', SECRET_MASK] }
    expect(unmaskServer(sent, current).args).toEqual(['new', '--password', 'two', '--token', 'one'])
  })

  it('never puts a mask into a configuration, and names what is missing', () => {
    fc.assert(
      fc.property(anyConfig, anyConfig, (config, current) => {
        let result: ServerConfig | undefined
        try {
          result = unmaskServer(maskServer(config), current)
        } catch (error) {
          expect(error).toMatchObject({ problems: expect.any(Array) })
        }
        expect(JSON.stringify(result ?? {})).not.toContain(SECRET_MASK)
      }),
    )
  })

  it('keeps masks of secrets that cannot be decrypted in parts that do not change', () => {
    const lost = { ...plain, env: { KEY: SECRET_MASK }, args: ['--token', SECRET_MASK] }
    expect(unmaskServer({ ...lost, name: 'new' }, lost)).toEqual({ ...lost, name: 'new' })
    expect(() => unmaskServer({ ...lost, env: { KEY: SECRET_MASK, OTHER: 'x' } }, lost)).toThrow(/env\.KEY|invalid/i)
  })
})
