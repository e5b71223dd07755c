import { ToolScope } from '@tooldex/search'
import { describe, expect, it } from 'vitest'
import { changeOf, TOOLS } from '../../../../search/src/providers/provider-contract-inputs.case.ts'
import { CloudProvider } from './cloud-provider.ts'
import { SearchApiFailure } from './read-answer.ts'
import { findsAll, sendResults } from './scripted-service.case.ts'
import { ask, TOKEN, useCloud } from './use-cloud.case.ts'

const { service, cloud } = useCloud()

describe('CloudProvider', () => {
  it('[R31] posts the fields of the schema, with the token, and nothing else', async () => {
    const within = new ToolScope(['files:read_file', 'github:create_issue'])
    await cloud().search(
      ask({ queries: [' issue ', '', 'issue', 'bug'], context: 'triage', within, projectId: 'work' }),
    )
    expect(service().asked).toHaveLength(1)
    expect(service().asked[0]).toMatchObject({
      method: 'POST',
      path: '/catalog/search',
      authorization: `Bearer ${TOKEN}`,
    })
    expect(service().asked[0]?.body).toEqual({
      query: ['issue', 'bug'],
      context: 'triage',
      maxResults: 3,
      projectId: 'work',
      tools: [
        { toolKey: 'files:read_file', toolName: 'read_file', serverName: 'files', description: 'Reads a file' },
        {
          toolKey: 'github:create_issue',
          toolName: 'create_issue',
          serverName: 'github',
          description: 'Opens a ticket in a repository',
        },
      ],
    })
  })

  it('sends each project its own token', async () => {
    const provider = cloud({ projectTokens: { work: 'tds_work' } })
    for (const projectId of ['work', 'home', 'constructor']) await provider.search(ask({ projectId }))
    expect(service().asked.map(({ authorization }) => authorization)).toEqual([
      'Bearer tds_work',
      `Bearer ${TOKEN}`,
      `Bearer ${TOKEN}`,
    ])
  })

  it('prepares its substitute while it waits', async () => {
    const seen: string[] = []
    const failing = async (): Promise<never> => {
      seen.push('asked')
      await Promise.resolve()
      seen.push('failed')
      throw new SearchApiFailure('did not answer')
    }
    const provider = new CloudProvider({ ask: failing }, () => seen.push('made ready'))
    provider.apply(changeOf({ added: TOOLS }))
    await expect(provider.search(ask())).rejects.toMatchObject({ code: 'SEARCH_UNAVAILABLE' })
    expect(seen).toEqual(['asked', 'made ready', 'failed'])
  })

  it('sends no request without queries or tools', async () => {
    const provider = cloud()
    const nothing = { hits: [], answeredBy: 'cloud' }
    expect(await provider.search(ask({ queries: [' '] }))).toEqual(nothing)
    expect(await provider.search(ask({ maxResults: 0 }))).toEqual(nothing)
    expect(await provider.search(ask({ within: new Set<string>() }))).toEqual(nothing)
    expect(service().asked).toEqual([])
  })

  it('passes on that the service is degraded', async () => {
    service().behave(({ body }, res) =>
      sendResults(res, [{ ...body.tools[0], relevance: 1 }], { degraded: { strategy: 'llm', reason: 'no model' } }),
    )
    expect(await cloud().search(ask())).toMatchObject({
      hits: [{ id: 'files:delete_file' }],
      answeredBy: 'cloud',
      degraded: { strategy: 'cloud', reason: 'the Search API is degraded: llm: no model' },
    })
  })

  it('ends with its caller, which is no failure of the service', async () => {
    const provider = cloud()
    for (let time = 0; time < 4; time++) {
      const [caller, reason] = [new AbortController(), new Error('the caller has gone')]
      service().behave(() => caller.abort(reason))
      await expect(provider.search(ask({ signal: caller.signal }))).rejects.toBe(reason)
    }
    service().behave(findsAll)
    expect((await provider.search(ask())).hits).toHaveLength(3)
  })

  it('does not send more tools than a service takes', async () => {
    const provider = cloud()
    const added = Array.from({ length: 20_001 }, (_, index) => ({
      id: `s:${index}`,
      name: String(index),
      namespace: 's',
    }))
    provider.apply({ added, changed: [], removed: [] })
    await expect(provider.search(ask())).rejects.toMatchObject({ code: 'SEARCH_UNAVAILABLE' })
    expect(service().asked).toEqual([])
  })
})
