import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { authenticate, hashToken } from '../../access/tokens.ts'
import { type AdminKit, adminKit } from '../admin-kit.case.ts'

const FILE = {
  mcpServers: { notes: { command: 'notes' }, files: { command: 'files' } },
  projects: { work: { servers: ['notes'] }, home: { servers: ['files'] } },
  tokens: [{ name: 'filed', value: 'a-secret-of-the-file-1' }],
}

let kit: AdminKit
beforeEach(async () => {
  kit = await adminKit({ file: FILE })
})
afterEach(() => kit.stop())

const token = (id: string) => ({ params: { token: id } })
const create = (body: object) => kit.ask('createToken', { body })
const enters = (secret: string) => {
  try {
    return authenticate(`Bearer ${secret}`, kit.models.current(), kit.clock.now).tokenId
  } catch {
    return undefined
  }
}

describe('tokens', () => {
  it('[R44] are shown once, stored as a hash, and valid at once', async () => {
    const { secret, token: made } = await create({ name: ' Laptop ', projects: ['work'], readOnly: true })
    expect(secret).toMatch(/^tdx_[\w-]{43}$/)
    expect(made).toMatchObject({ name: 'Laptop', kind: 'client', projects: ['work'], readOnly: true, isExpired: false })
    expect(enters(secret)).toBe(made.id)
    const everything = JSON.stringify([
      await kit.ask('listTokens'),
      await kit.ask('exportAll', { query: { secrets: 'true' } }),
      kit.logged,
      [...kit.store.current().tokens],
    ])
    expect(everything).not.toContain(secret)
    expect(JSON.stringify(await kit.ask('listTokens'))).not.toContain(hashToken(secret))
  })

  it('[R44] are refused at once when they are revoked, expired or narrowed', async () => {
    const { secret, token: made } = await create({ name: 'a', expiresAt: kit.clock.now + 1_000 })
    expect(enters(secret)).toBeDefined()
    kit.clock.now += 1_000
    expect(enters(secret)).toBeUndefined()
    expect(await kit.ask('getToken', token(made.id))).toMatchObject({ isExpired: true })
    await kit.ask('changeToken', { ...token(made.id), body: { unset: ['expiresAt'], projects: ['home'] } })
    expect(enters(secret)).toBe(made.id)
    expect(kit.models.current().tokens.get(hashToken(secret))?.projects).toEqual(new Set(['home']))
    await kit.ask('revokeToken', token(made.id))
    expect(enters(secret)).toBeUndefined()
    expect(await kit.problem('revokeToken', token(made.id))).toMatchObject({ code: 'TOKEN_NOT_FOUND', status: 404 })
  })

  it('have unique names, ignoring case, and existing scopes', async () => {
    await create({ name: 'Laptop' })
    for (const name of ['laptop', 'LAPTOP ', 'Filed']) {
      expect(await kit.problem('createToken', { body: { name } })).toMatchObject({
        ...{ code: 'NAME_TAKEN', status: 409 },
        problems: [{ path: 'name' }],
      })
    }
    const bad = [
      { name: '' },
      { name: '  ' },
      { name: 'x'.repeat(201) },
      { name: 'local' },
      { name: 'x', projects: ['wrk'] },
      { name: 'x', servers: ['nots'] },
      { name: 'x', expiresAt: kit.clock.now },
      { name: 'x', kind: 'root' },
      { name: 'x', kind: 'admin', projects: ['work'] },
      { name: 'x', project: ['work'] },
    ]
    for (const body of bad) {
      expect(await kit.problem('createToken', { body })).toMatchObject({ code: 'REQUEST_INVALID', status: 400 })
    }
    const { problems } = await kit.problem('createToken', { body: { name: 'x', projects: ['wrk'] } })
    expect(problems).toEqual([{ path: 'projects[0]', message: 'there is no project "wrk"; did you mean "work"?' }])
    expect(kit.store.current().tokens.size).toBe(1)
  })

  it('of the file can be changed in the file only', async () => {
    expect(await kit.ask('getToken', token('filed'))).toMatchObject({ managedBy: 'file', file: '/etc/tooldex.json' })
    expect(await kit.problem('revokeToken', token('filed'))).toMatchObject({ code: 'FILE_MANAGED' })
    expect(await kit.problem('changeToken', { ...token('filed'), body: {} })).toMatchObject({ code: 'FILE_MANAGED' })
  })

  it('of admins are not valid for endpoints, and the last one cannot be revoked', async () => {
    const { secret, token: first } = await create({ name: 'root', kind: 'admin' })
    expect(secret).toMatch(/^tdxa_/)
    expect(enters(secret)).toBeUndefined()
    expect(await kit.problem('revokeToken', token(first.id))).toMatchObject({ code: 'LAST_ADMIN_TOKEN', status: 409 })
    await create({ name: 'root 2', kind: 'admin', expiresAt: kit.clock.now + 5 })
    kit.clock.now += 10
    expect(await kit.problem('revokeToken', token(first.id))).toMatchObject({ code: 'LAST_ADMIN_TOKEN' })
    await create({ name: 'root 3', kind: 'admin' })
    await kit.ask('revokeToken', token(first.id))
  })

  it('change only from the current revision', async () => {
    const { token: made } = await create({ name: 'a' })
    const ask = { ...token(made.id), headers: { 'if-match': made.revision ?? '' }, body: { readOnly: true } }
    await kit.ask('changeToken', ask)
    expect(await kit.problem('changeToken', ask)).toMatchObject({ code: 'REVISION_CONFLICT' })
  })
})

describe('a rotation', () => {
  const accepted = (secret: string) => kit.models.current().tokens.get(hashToken(secret))

  it('gives a new secret at once, and keeps the old one for the overlap, with the same rights', async () => {
    const { secret: old, token: made } = await create({ name: 'laptop', projects: ['work'], readOnly: true })
    const {
      secret,
      token: after,
      previous,
    } = await kit.ask('rotateToken', {
      ...token(made.id),
      body: { overlapMs: 3_600_000 },
    })
    expect(secret).not.toBe(old)
    expect(after).toMatchObject({ id: made.id, name: 'laptop', projects: ['work'], readOnly: true })
    expect(previous).toMatchObject({
      ...{ name: 'laptop (before 2026-11-01)', projects: ['work'], readOnly: true },
      expiresAt: kit.clock.now + 3_600_000,
    })
    expect(accepted(secret)).toMatchObject({ tokenId: made.id })
    expect(accepted(old)).toMatchObject({ tokenId: previous?.id, readOnly: true, expiresAt: kit.clock.now + 3_600_000 })
    const again = await kit.ask('rotateToken', { ...token(made.id), body: {} })
    expect(again.previous?.name).toBe('laptop (before 2026-11-01) 2')
    expect(JSON.stringify(kit.audited())).not.toContain(secret)
    expect(kit.audited().at(-1)).toMatchObject({ kind: 'change', action: 'rotateToken', target: made.id })
  })

  it('ends the old secret at once without an overlap, and never later than the token itself', async () => {
    const { secret: old, token: made } = await create({ name: 'laptop', expiresAt: kit.clock.now + 1_000 })
    const { previous } = await kit.ask('rotateToken', { ...token(made.id), body: { overlapMs: 9_000 } })
    expect(previous?.expiresAt).toBe(kit.clock.now + 1_000)
    const { secret } = await kit.ask('rotateToken', { ...token(made.id), body: { overlapMs: 0 } })
    expect(accepted(secret)).toBeDefined()
    const last = await kit.ask('rotateToken', { ...token(made.id), body: { overlapMs: 0 } })
    expect(last.previous).toBeUndefined()
    expect(accepted(secret)).toBeUndefined()
    expect(accepted(old)).toBeDefined()
    expect(await kit.problem('rotateToken', { ...token('no'), body: {} })).toMatchObject({ code: 'TOKEN_NOT_FOUND' })
  })
})

describe('an explanation', () => {
  it('lists every step and names the obstacle', async () => {
    await kit.offer('notes', [{ name: 'add' }, { name: 'read', annotations: { readOnlyHint: true } }])
    const { token: made } = await create({ name: 'reader', readOnly: true, projects: ['work'] })
    const explain = (query: { tool: string; project?: string }) => kit.ask('explainToken', { ...token(made.id), query })
    expect(await explain({ tool: 'notes:read' })).toMatchObject({ allowed: true })
    const denied = await explain({ tool: 'notes:add', project: 'work' })
    expect(denied.allowed).toBe(false)
    expect(denied.projects[0]?.steps.filter(({ ok }) => !ok)).toEqual([
      {
        question: 'Does the kind of token fit the tool?',
        ok: false,
        answer: 'It is read-only, and the approved definition of the tool is not annotated as read-only',
        remedy: expect.stringContaining('Lift read-only from the token') as string,
        page: 'token',
      },
    ])
    const home = await explain({ tool: 'notes:read', project: 'home' })
    expect(home.projects[0]?.steps.filter(({ ok }) => !ok).map(({ question }) => question)).toEqual([
      'May the token use the project?',
      'Is the server in the project?',
    ])
    expect((await explain({ tool: 'missing:x' })).allowed).toBe(false)
    expect(await kit.problem('explainToken', { ...token('no'), query: { tool: 'a:b' } })).toMatchObject({
      code: 'TOKEN_NOT_FOUND',
    })
    expect(await kit.problem('explainToken', token(made.id))).toMatchObject({ code: 'REQUEST_INVALID' })
  })
})
