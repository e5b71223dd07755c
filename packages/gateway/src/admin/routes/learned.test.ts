import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AdminKit, adminKit } from '../admin-kit.case.ts'

let kit: AdminKit
beforeEach(async () => {
  kit = await adminKit({ file: { learning: true } })
  await kit.ask('createServer', { body: { id: 'notes', command: 'notes' } })
  await kit.ask('createProject', { body: { id: 'work', servers: ['notes'], strategy: 'bm25' } })
  await kit.offer('notes', [
    { name: 'find_note', description: 'Finds what somebody wrote down' },
    { name: 'archive', description: 'Files old things' },
  ])
})
afterEach(() => kit.stop())

const params = { project: 'work' }
const use = (query: string, toolKey = 'notes:archive', more: object = {}) => ({
  ...{ query, toolKey, tokenId: 'ann', weight: 0.5, at: kit.clock.now - 5_000, ...more },
})
const store = (...items: object[]) => kit.ask('importLearned', { params, body: { items } })
const list = (query: object = {}) => kit.ask('listLearned', { params, query })

describe('what searches learnt', () => {
  it('[U13] is listed, latest first, with who taught it and whether the tool is there', async () => {
    const { token } = await kit.ask('createToken', { body: { name: 'Laptop' } })
    await store(use('put old notes away', undefined, { tokenId: token.id }))
    await store(use('throw it out', 'notes:drop', { at: kit.clock.now }))
    expect(await list()).toEqual({
      state: 'on',
      total: 2,
      items: [
        use('throw it out', 'notes:drop', { at: kit.clock.now, isGone: true }),
        use('put old notes away', undefined, { tokenId: token.id, tokenName: 'Laptop' }),
      ],
    })
    expect(await list({ limit: 1 })).toMatchObject({ total: 2, items: [{ query: 'throw it out' }] })
    expect(await list({ query: 'OLD' })).toMatchObject({ total: 1, items: [{ query: 'put old notes away' }] })
    expect((await list({ tool: 'notes:drop' })).total).toBe(1)
    expect((await list({ token: token.id })).total).toBe(1)
    expect((await kit.ask('listLearned', { params: { project: 'default' } })).items).toEqual([])
  })

  it('[U13] is quoted whole to administrators, whom it ranks for, until it is forgotten', async () => {
    const question = { query: 'put away what somebody wrote', project: 'work', strategies: ['bm25'] }
    const first = async () => (await kit.ask('searchTools', { body: question })).answers[0]?.hits[0]
    expect(await first()).toMatchObject({ toolKey: 'notes:find_note' })
    const told = 'put away the letter that aunt May wrote'
    await store(
      ...['ann', 'ben', 'cas'].map((tokenId) => use(told, undefined, { tokenId, at: kit.clock.now, weight: 1 })),
    )
    const lifted = await first()
    expect(lifted).toMatchObject({ toolKey: 'notes:archive' })
    expect(lifted?.explanation).toContain('used for "put away the letter that aunt may wrote"')
    expect(await kit.ask('forgetLearned', { params, query: { query: told, token: 'ann' } })).toEqual({ forgotten: 1 })
    expect(await kit.ask('forgetLearned', { params })).toEqual({ forgotten: 2 })
    expect(await first()).toMatchObject({ toolKey: 'notes:find_note' })
    expect(kit.audited().at(-1)).toMatchObject({ kind: 'change', action: 'forgetLearned', target: 'work' })
  })

  it('is imported without secrets, blank texts and times of the future', async () => {
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
    await store(
      use(`Push with ${secret}`),
      use('  '),
      use('soon', undefined, { at: kit.clock.now + 5, tokenId: undefined }),
    )
    const { items } = await list()
    expect(items.map(({ query }) => query).toSorted()).toEqual(['push with ••••', 'soon'])
    expect(items.find(({ query }) => query === 'soon')).toMatchObject({ at: kit.clock.now, tokenId: 'imported' })
  })

  it.each<[string, () => object]>([
    ['a weight above 1', () => ({ items: [use('x', undefined, { weight: 2 })] })],
    ['a missing tool', () => ({ items: [{ query: 'x', weight: 1, at: 1 }] })],
    ['too many', () => ({ items: Array.from({ length: 5_001 }, (_, nth) => use(`q${nth}`)) })],
    ['no items', () => ({})],
  ])('refuses an import with %s', async (_, bodyOf) => {
    const body = bodyOf()
    expect(await kit.problem('importLearned', { params, body })).toMatchObject({ code: 'REQUEST_INVALID', status: 400 })
    expect((await list()).total).toBe(0)
  })

  it('says where it is off, and that a project is unknown', async () => {
    await kit.ask('changeProject', { params, body: { learning: false } })
    expect((await list()).state).toBe('off')
    const unknown = { params: { project: 'nowhere' } }
    for (const id of ['listLearned', 'forgetLearned'] as const) {
      expect(await kit.problem(id, unknown)).toMatchObject({ code: 'PROJECT_NOT_FOUND', status: 404 })
    }
  })

  it('[U13] goes with its project', async () => {
    await store(use('put old notes away'))
    await kit.ask('removeProject', { params })
    expect(await kit.store.learned.all('work')).toEqual([])
  })
})
