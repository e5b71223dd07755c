import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AdminKit, adminKit } from '../admin-kit.case.ts'
import { entryPage } from './list-pages.ts'

describe('entryPage', () => {
  it('leads through every entry once, and past entries that are gone', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string()), fc.integer({ min: 1, max: 4 }), (ids, limit) => {
        const entries = ids.map((id) => ({ id }))
        const seen: string[] = []
        for (let cursor: string | undefined; ; ) {
          const { items, nextCursor } = entryPage(entries, { limit, cursor })
          seen.push(...items.map(({ id }) => id))
          if (nextCursor === undefined) break
          expect(items).toHaveLength(limit)
          // The last entry of a page is removed before the next page is asked for.
          const rest = entries.filter((_, at) => at !== seen.length - 1)
          expect(entryPage(rest, { limit, cursor: nextCursor }).items).toEqual(
            rest.slice(seen.length - 1, seen.length - 1 + limit),
          )
          cursor = nextCursor
        }
        expect(seen).toEqual(ids)
      }),
    )
  })
})

describe('lists of the admin API', () => {
  let kit: AdminKit
  beforeEach(async () => {
    kit = await adminKit({ file: { tokens: [{ name: 'middle', value: 'a-secret-of-the-file-1' }] } })
  })
  afterEach(() => kit.stop())

  it('[U19] come in pages: tokens of file and store by name, projects and endpoints in their order', async () => {
    for (const name of ['Zoe', 'adam', 'Bert', 'yuri']) await kit.ask('createToken', { body: { name } })
    const pages: string[][] = []
    for (let cursor: string | undefined; ; ) {
      const page = await kit.ask('listTokens', { query: { limit: '2', ...(cursor !== undefined && { cursor }) } })
      pages.push(page.items.map(({ name }) => name))
      if (page.nextCursor === undefined) break
      cursor = page.nextCursor
    }
    expect(pages).toEqual([['adam', 'Bert'], ['middle', 'yuri'], ['Zoe']])
    for (const id of ['p', 'q']) {
      await kit.ask('createProject', { body: { id } })
      await kit.ask('createEndpoint', { body: { id, project: id } })
    }
    for (const list of ['listProjects', 'listEndpoints'] as const) {
      const first = await kit.ask(list, { query: { limit: '2' } })
      const rest = await kit.ask(list, { query: { limit: '2', cursor: first.nextCursor } })
      expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(['default', 'p', 'q'])
      expect(rest.nextCursor).toBeUndefined()
    }
  })

  it('refuse a cursor that is none of theirs', async () => {
    for (const list of ['listTokens', 'listProjects', 'listServers', 'listEndpoints'] as const) {
      for (const cursor of [
        'nonsense',
        Buffer.from('[3]').toString('base64url'),
        Buffer.from('{}').toString('base64url'),
      ]) {
        expect(await kit.problem(list, { query: { cursor } })).toMatchObject({ code: 'REQUEST_INVALID' })
      }
    }
  })
})
