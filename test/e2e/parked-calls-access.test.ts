// A request resumes a parked call, and is checked like any other: permissions that were removed meanwhile are gone.

import { expect, it } from 'vitest'
import { askableClient, formOf } from '../kit/askable-client.ts'
import { askingServer } from '../kit/asking-server.ts'
import { type Json, textOf } from '../kit/clients.ts'
import { type GatewaySetup, gatewayWith } from '../kit/gateway.ts'

const setup = (tools: Json, tokens: GatewaySetup['tokens'] = { guest: {} }): GatewaySetup => ({
  servers: { s: askingServer('legacy') },
  projects: { own: { servers: ['s'], tools } },
  endpoints: { default: { project: 'own', exposure: 'full' } },
  tokens: { ...tokens },
})

it('is refused while its tool is denied, and goes on once it is allowed again', async () => {
  await using gateway = await gatewayWith(setup({}))
  await using ada = await askableClient(gateway, { token: 'guest' })
  const { requestState, inputRequests } = await ada.once('s__ask')
  const [key = ''] = Object.keys(inputRequests as Json)
  const back = { requestState, inputResponses: { [key]: formOf('Ada') } }
  gateway.configure(setup({ 's:ask': { allowed: false } }))
  const denied = await ada.once('s__ask', back).catch((error: unknown) => error)
  expect(JSON.stringify(denied)).not.toContain('Ada')
  expect(denied).toMatchObject({ data: { code: expect.stringMatching(/^TOOL_(NOT_FOUND|DISABLED)$/) } })
  gateway.configure(setup({}))
  expect(JSON.parse(textOf(await ada.once('s__ask', back)))).toMatchObject(formOf('Ada'))
})

it('is not resumed by a token that was revoked', async () => {
  await using gateway = await gatewayWith(setup({}))
  await using ada = await askableClient(gateway, { token: 'guest' })
  const { requestState, inputRequests } = await ada.once('s__ask')
  const [key = ''] = Object.keys(inputRequests as Json)
  gateway.configure(setup({}, {}))
  const before = gateway.audited().length
  const revoked = ada.once('s__ask', { requestState, inputResponses: { [key]: formOf('Ada') } })
  await expect(revoked).rejects.toThrow(/401|[Uu]nauthorized|token/)
  expect(gateway.audited()).toHaveLength(before)
})
