import { describe, expect, it } from 'vitest'
import { checkConfig } from '../check-config.ts'

const problemsOf = (server: object): string[] => {
  const checked = checkConfig({ mcpServers: { bank: server } }) as {
    problems?: readonly { path: unknown; message: string }[]
  }
  return (checked.problems ?? []).map(({ message }) => message)
}

describe('the login at a server', () => {
  it.each([
    { type: 'oauth' },
    { type: 'oauth', clientId: 'a', clientSecret: 'b', scope: 'x y', issuer: 'https://auth.example' },
    { type: 'client-credentials', clientId: 'a', clientSecret: 'b' },
  ])('accepts %j', (auth) => expect(problemsOf({ url: 'https://bank.example/mcp', auth })).toEqual([]))

  it('requires id and secret of client credentials', () => {
    const auth = { type: 'client-credentials', clientId: 'a' }
    expect(problemsOf({ url: 'https://bank.example/mcp', auth })).toEqual(['client-credentials needs clientSecret'])
  })

  it.each([{ type: 'magic' }, { type: 'oauth', issuer: 'ftp://x' }, { type: 'oauth', clientID: 'a' }, 'oauth'])(
    'refuses %j',
    (auth) => expect(problemsOf({ url: 'https://bank.example/mcp', auth })).not.toEqual([]),
  )

  it('requires a url', () => {
    expect(problemsOf({ command: 'bank', auth: { type: 'oauth' } })).toEqual(['does not go with command'])
  })
})
