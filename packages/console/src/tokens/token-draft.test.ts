import { adminRoutes } from '@tooldex/contract/admin'
import { expect, it } from 'vitest'
import { draftOf, NEW_TOKEN, newTokenOf, patchOf } from './token-draft.ts'

it('makes bodies that the contract accepts', () => {
  const draft = { ...NEW_TOKEN, name: 'laptop', projects: ['work'], expires: '2027-01-31T12:00' }
  expect(adminRoutes.createToken.body.parse(newTokenOf(draft))).toMatchObject({
    name: 'laptop',
    projects: ['work'],
    readOnly: false,
  })
})

it('sends no scopes with an admin token', () => {
  const body = newTokenOf({ ...NEW_TOKEN, name: 'ops', kind: 'admin', projects: ['work'], readOnly: true })
  expect(body).toEqual({ name: 'ops', kind: 'admin', role: 'reader' })
})

it('unsets the scopes that a change removes', () => {
  const body = patchOf({ ...NEW_TOKEN, name: 'laptop', servers: ['github'] })
  expect(adminRoutes.changeToken.body.parse(body)).toMatchObject({
    servers: ['github'],
    unset: ['projects', 'tools', 'expiresAt'],
  })
})

it('shows an expiry as it was entered', () => {
  const expires = '2027-01-31T12:00'
  const at = new Date(expires).getTime()
  const token = {
    id: 't',
    name: 't',
    kind: 'client',
    managedBy: 'store',
    readOnly: false,
    isExpired: false,
    expiresAt: at,
  } as const
  expect(draftOf(token).expires).toBe(expires)
})

it('reads an allow-list of tools line by line, and an empty one as no tool', () => {
  const body = (tools: string) =>
    adminRoutes.createToken.body.parse(newTokenOf({ ...NEW_TOKEN, name: 'laptop', tools }))
  expect(body(' github:create_issue\n\nnotes:read ')).toMatchObject({ tools: ['github:create_issue', 'notes:read'] })
  expect(body('')).toMatchObject({ tools: [] })
})
