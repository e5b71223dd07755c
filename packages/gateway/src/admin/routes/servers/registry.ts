import type { RouteBody } from '@tooldex/contract/admin'
import { GatewayError } from '../../../errors.ts'
import { type Found, type Listed, Registries } from '../../../setup/registry/registries.ts'
import { fillWay, type Way } from '../../../setup/registry/ways.ts'
import { InvalidRequest } from '../../changes/invalid-request.ts'
import { checkedServer, ServerChanges } from '../../changes/server-changes.ts'
import type { AdminContext, Handlers } from '../admin-context.ts'
import { testServer } from './server-tests.ts'
import { serverAnswer } from './servers.ts'

/** Routes that find servers in registries and add them. */
export function registryHandlers(context: AdminContext) {
  const { registries: options, now } = context.parts
  const registries = new Registries({ ...options, now })
  const changes = new ServerChanges(context.administration)
  const freeId = (name: string): string => freeIdFor(name, new Set(context.entries.servers().map(({ id }) => id)))
  const filled = async ({ name, registry, way, values, id = freeId(name) }: RouteBody<'addFromRegistry'>) => {
    const { listed, found } = await registries.find(name, registry)
    if (listed === undefined) throw notListed(name, found)
    const { config, missing, problems } = fillWay(chosenWay(listed, way), values)
    if (problems.length > 0) throw new InvalidRequest(problems)
    return { id, config: checkedServer(id, config), missing }
  }
  return {
    searchRegistry: async ({ query }) => {
      const { listed, registries: asked } = await registries.search(query.search, { refresh: query.refresh === true })
      const items = listed.map(({ server }) => ({ ...server, suggestedId: freeId(server.name) }))
      return { items, registries: [...asked] }
    },
    addFromRegistry: async ({ body, caller }) => {
      const { id, config, missing } = await filled(body)
      await changes.create({ id, ...config }, caller)
      return { server: serverAnswer(context.entries.server(id), context, caller), missing: [...missing] }
    },
    testFromRegistry: async ({ body, caller, request }) => {
      const { id, config } = await filled(body)
      return testServer({ id, config, before: [], caller, signal: request.signal }, context)
    },
  } satisfies Partial<Handlers>
}

function notListed(name: string, { registries }: Found): GatewayError {
  const silent = registries.filter(({ fetchedAt }) => fetchedAt === undefined)
  if (silent.length > 0) {
    const reason = silent.map(({ url, problem = 'did not answer' }) => `${url} ${problem}`).join('; ')
    return new GatewayError('REGISTRY_UNAVAILABLE', {
      reason,
      remedy: 'Try again later, or add it with `tooldex server add`',
    })
  }
  return new GatewayError('SERVER_NOT_FOUND', {
    server: name,
    reason: `no registry lists ${JSON.stringify(name)}`,
    remedy: 'Search for it: tooldex add <words>',
  })
}

/** @throws GatewayError REVISION_CONFLICT, InvalidRequest */
function chosenWay({ server, ways }: Listed, id: string | undefined): Way {
  const way = ways[id === undefined ? 0 : server.ways.findIndex((each) => each.id === id)]
  if (way !== undefined) return way
  if (ways.length > 0) {
    const reason = `the registry has changed its entry of ${server.name} since it was shown`
    throw new GatewayError('REVISION_CONFLICT', { reason, remedy: 'Search again, and look at what it runs now' })
  }
  const reasons = server.unusable.map(({ what, reason }) => `${what} ${reason}`)
  const message = `cannot be added: ${reasons.length === 0 ? 'the registry names no package and no address' : reasons.join('; ')}`
  throw new InvalidRequest([{ path: ['name'], message }])
}

const GENERIC: ReadonlySet<string> = new Set(['mcp', 'server', 'mcp-server', 'main', 'core'])

/** A short id that no server has: `weather` for `io.github.someone/weather`. */
function freeIdFor(name: string, taken: ReadonlySet<string>): string {
  const [namespace = '', own = ''] = name.toLowerCase().split('/')
  const base = (GENERIC.has(own) ? namespace.split('.').at(-1) : own)?.replaceAll(/[^a-z0-9_-]+/g, '-') || 'server'
  const used = new Set([...taken].map((id) => id.toLowerCase()))
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? base : `${base}-${number}`
    if (!used.has(id)) return id
  }
}
