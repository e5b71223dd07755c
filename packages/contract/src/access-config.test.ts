import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checkConfig } from './check-config.ts'

const problems = (config: object): string[] =>
  checkConfig(config).problems.map(({ path, message }) => `${path.join('.')} ${message}`)

describe('auth', () => {
  it('accepts the example of the guide, with defaults for the rest', () => {
    const page = readFileSync(new URL('../../../docs/guide/identity-provider.md', import.meta.url), 'utf8')
    const example: unknown = JSON.parse(/```jsonc\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
    expect(checkConfig(example).config?.auth).toEqual({
      issuer: 'https://login.example.org/realms/team',
      audience: 'tooldex',
      algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
      clockToleranceSeconds: 30,
      scopePrefix: 'project:',
      readOnlyScope: 'read-only',
    })
  })

  it('requires an issuer and an audience, and refuses algorithms with a shared secret', () => {
    expect(problems({ auth: {} })).toEqual([
      'auth.issuer must be a text',
      'auth.audience must be a text or a list of texts',
    ])
    const auth = { issuer: 'https://x.test', audience: 'a' }
    for (const algorithm of ['none', 'HS256']) {
      expect(problems({ auth: { ...auth, algorithms: [algorithm] } })).toHaveLength(1)
    }
    expect(problems({ auth: { ...auth, isuer: 1 } })).toEqual(['auth.isuer unknown key; did you mean issuer?'])
  })
})

describe('rateLimits', () => {
  it('are off unless they are set', () => {
    expect(checkConfig({}).config?.rateLimits).toEqual({})
    expect(problems({ rateLimits: { tokenPerMinute: 0 } })).toEqual(['rateLimits.tokenPerMinute must be more than 0'])
  })
})
