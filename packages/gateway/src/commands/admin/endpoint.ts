import type { EndpointPatch } from '@tooldex/contract/admin'
import { facts, table } from '../table.ts'
import { type Admin, answer } from './admin.ts'
import { disclosureOf, type DisclosureOptions, settingFacts } from './disclosure-options.ts'
import { answerRemoval } from './removal.ts'

/** What `endpoint add` and `endpoint set` take. */
export interface EndpointOptions extends DisclosureOptions {
  readonly project?: string
  readonly auth?: 'token' | 'none'
  readonly transparent?: boolean
  readonly unset?: readonly string[]
}

/** `tooldex endpoint list` */
export async function listEndpoints(admin: Admin): Promise<number> {
  const { items } = await admin.client.ask('listEndpoints')
  const rows = items.map(({ id, path, project, isServed, auth, settings, managedBy }) => [
    id,
    path,
    isServed ? project : `${project} (gone)`,
    settings.exposure.value ?? 'auto',
    auth === 'none' ? 'open to this machine' : 'token',
    managedBy,
  ])
  const head = ['endpoint', 'path', 'project', 'exposure', 'access', 'managed by']
  return answer(admin, { endpoints: items }, table(head, rows, admin.context.terminal))
}

/** `tooldex endpoint show` */
export async function showEndpoint(admin: Admin, id: string): Promise<number> {
  const endpoint = await admin.client.ask('getEndpoint', { params: { endpoint: id } })
  const lines = facts(
    [
      ['endpoint', endpoint.id],
      ['path', endpoint.path],
      ['project', endpoint.isServed ? endpoint.project : `${endpoint.project} (gone: nothing is served)`],
      ['access', endpoint.auth],
      ['transparent', String(endpoint.transparent)],
      ...settingFacts(endpoint.settings),
      ['managed by', endpoint.file ?? endpoint.managedBy],
    ],
    admin.context.terminal,
  )
  return answer(admin, endpoint, lines)
}

/** `tooldex endpoint add` */
export async function addEndpoint(admin: Admin, id: string, options: EndpointOptions): Promise<number> {
  const endpoint = await admin.client.ask('createEndpoint', { body: { id, ...settingsOf(options) } })
  return answer(admin, endpoint, [
    `  added the endpoint ${endpoint.id}: the project ${endpoint.project} at ${endpoint.path}`,
    `  connect a client: tooldex connect --endpoint ${endpoint.id}`,
  ])
}

/** `tooldex endpoint set` */
export async function setEndpoint(admin: Admin, id: string, options: EndpointOptions): Promise<number> {
  const unset = options.unset === undefined ? {} : { unset: [...options.unset] }
  const body = { ...settingsOf(options), ...unset } as EndpointPatch
  const endpoint = await admin.client.ask('changeEndpoint', { params: { endpoint: id }, body })
  return answer(admin, endpoint, [`  changed the endpoint ${endpoint.id}`])
}

/** `tooldex endpoint remove` */
export async function removeEndpoint(admin: Admin, id: string): Promise<number> {
  return answerRemoval(admin, 'endpoint', await admin.client.ask('removeEndpoint', { params: { endpoint: id } }))
}

function settingsOf(options: EndpointOptions) {
  const { project, auth, transparent } = options
  return {
    ...(project !== undefined && { project }),
    ...(auth !== undefined && { auth }),
    ...(transparent !== undefined && { transparent }),
    ...disclosureOf(options),
  }
}
