import { describe, expect, it } from 'vitest'
import { checkConfig } from '../check-config.ts'
import { placeOf } from '../config-problem.ts'

const problems = (value: unknown): string[] =>
  checkConfig(value).problems.map(({ path, message }) => `${placeOf(path)}: ${message}`)

describe('searchApi', () => {
  it('[R30] has a timeout of five seconds by default', () => {
    expect(checkConfig({}).config?.searchApi).toEqual({ projectTokens: {}, timeoutMs: 5_000 })
    const searchApi = {
      url: 'https://search.example.org/v1',
      token: 'tdx_a',
      projectTokens: { work: 'tdx_b' },
      timeoutMs: 800,
    }
    const projects = { work: { servers: [] } }
    expect(checkConfig({ projects, searchApi }).config?.searchApi).toEqual(searchApi)
  })

  it('reports settings that have no effect', () => {
    expect(
      problems({ searchApi: { token: 'tdx_a', projectTokens: { wrok: 't' } }, projects: { work: { servers: [] } } }),
    ).toEqual([
      'searchApi.projectTokens.wrok: there is no project "wrok"; did you mean "work"?',
      'searchApi.token: has no effect without url',
      'searchApi.projectTokens: has no effect without url',
    ])
  })

  it('refuses addresses and tokens that cannot be used, without repeating them', () => {
    const [noUrl, withPassword, badToken] = ['localhost', 'http://me:secret@host', 'a b']
    const told = [{ url: noUrl }, { url: withPassword }, { url: 'http://h', token: badToken }].flatMap((searchApi) =>
      problems({ searchApi }),
    )
    expect(told).toEqual([
      'searchApi.url: must be an http:// or https:// address such as http://127.0.0.1:7421',
      'searchApi.url: must not have a user name or password; use token',
      'searchApi.token: must be a bearer token: no spaces, no line breaks',
    ])
  })
})
