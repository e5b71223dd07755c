import { checkConfig } from '@tooldex/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashToken } from '../access/tokens.ts'
import { Draft } from '../admin/changes/draft.ts'
import { GatewayError } from '../errors.ts'
import { canonicalText } from '../model/canonical-json.ts'
import type { GatewayModel } from '../model/gateway-model.ts'
import type { StoredServer, StoredState } from '../model/stored-state.ts'
import { configFrom, type MadeModel, modelOf } from './load-config.ts'
import { NOTHING_STORED } from './merge-config.ts'

const environment = { variables: {}, home: '/home', cwd: '/home', stdinIsTerminal: false } as never

/** Every kind of reference between file and store, an entry that both may have, and a transparent endpoint of each. */
const FILE = {
  mcpServers: { f: { command: 'f' } },
  projects: { pf: { servers: ['f'] } },
  endpoints: { ef: { project: 'pf' }, tf: { project: 'pf', transparent: true } },
  tokens: [{ name: 'filed', value: 'a-secret-of-the-file', projects: ['pf'] }],
}

const server = fc.constantFrom('f', 'a', 'b', 'c')
const project = fc.constantFrom('pf', 'p', 'q', 'default')
const endpoint = fc.constantFrom('e', 'g', 'default')
const servers = fc.uniqueArray(server, { maxLength: 3 })

const act = fc.oneof(
  fc.record({
    what: fc.constant('server' as const),
    id: fc.constantFrom('a', 'b', 'c'),
    gone: fc.boolean(),
    flag: fc.boolean(),
  }),
  fc.record({ what: fc.constant('order' as const), ids: fc.shuffledSubarray(['a', 'b', 'c'], { minLength: 3 }) }),
  fc.record({
    what: fc.constant('project' as const),
    id: fc.constantFrom('p', 'q', 'default'),
    gone: fc.boolean(),
    servers,
    tool: server,
    flag: fc.boolean(),
  }),
  fc.record({ what: fc.constant('endpoint' as const), id: endpoint, gone: fc.boolean(), project, flag: fc.boolean() }),
  fc.record({
    what: fc.constant('token' as const),
    id: fc.constantFrom('t', 'u', 'filed'),
    gone: fc.boolean(),
    projects: fc.option(fc.uniqueArray(project, { maxLength: 2 }), { nil: undefined }),
    flag: fc.boolean(),
  }),
  fc.record({ what: fc.constant('trust' as const), flag: fc.boolean() }),
  // Rare: while the file declares it as well, nothing of the store is merged.
  fc.record({ what: fc.constant('clash' as const), gone: fc.boolean() }),
)
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never

const serverConfig = (id: string, enabled: boolean): StoredServer['config'] => {
  const config = checkConfig({ mcpServers: { [id]: { command: id, enabled, toolPermissions: { t: enabled } } } }).config
  return config?.mcpServers?.[id] as StoredServer['config']
}

function make(draft: Draft, each: Act): void {
  if (each.what === 'server') {
    if (each.gone) draft.removeServer(each.id)
    else draft.putServer(each.id, serverConfig(each.id, each.flag))
  } else if (each.what === 'order') draft.orderServers(each.ids)
  else if (each.what === 'project') {
    const tools = { [`${each.tool}:t`]: { allowed: each.flag } }
    if (each.gone) draft.removeProject(each.id)
    else draft.putProject(each.id, { servers: each.servers, tools, ...(each.flag && { trust: 'strict' as const }) })
  } else if (each.what === 'endpoint') {
    const config = { project: each.project, auth: 'token' as const, transparent: each.flag }
    if (each.gone) draft.removeEndpoint(each.id)
    else draft.putEndpoint(each.id, config)
  } else if (each.what === 'token') {
    if (each.gone) draft.removeToken(each.id)
    else {
      const { id, flag: readOnly, projects } = each
      draft.putToken({
        id,
        name: id,
        kind: 'client',
        hash: hashToken(id),
        readOnly,
        ...(projects !== undefined && { projects }),
      })
    }
  } else if (each.what === 'trust') draft.putSetting('trust', each.flag ? 'strict' : undefined)
  else if (each.gone) draft.removeProject('pf')
  else draft.putProject('pf', { servers: [] })
}

/** A model as text. Tokens have no order. */
const textOf = ({ tokens, ...model }: GatewayModel): string => canonicalText([model, [...tokens].toSorted()])

const attempt = (work: () => MadeModel): MadeModel | string => {
  try {
    return work()
  } catch (error) {
    if (error instanceof GatewayError) return error.code
    throw error
  }
}

describe('changes of the store', () => {
  it('[U19] lead to the model that file and store have as a whole, one after the other', () => {
    let [merges, refusals] = [0, 0]
    fc.assert(
      fc.property(fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), { maxLength: 15 }), (transactions) => {
        const loaded = configFrom(FILE, environment)
        let state: StoredState = NOTHING_STORED
        let made: MadeModel | undefined
        for (const [now, acts] of transactions.entries()) {
          const draft = new Draft(state, now)
          for (const each of acts) make(draft, each)
          state = { ...draft.state, revision: now + 1 }
          const whole = attempt(() => modelOf(loaded, state))
          const next = attempt(() => modelOf(loaded, state, made))
          if (typeof whole === 'string' || typeof next === 'string') {
            refusals++
            expect(next).toBe(whole)
            continue
          }
          merges++
          expect(textOf(next.model)).toBe(textOf(whole.model))
          expect(next.merged.closedEndpoints).toEqual(whole.merged.closedEndpoints)
          made = next
        }
      }),
      { numRuns: 300 },
    )
    // Otherwise the property would be vacuous.
    expect(merges).toBeGreaterThan(500)
    expect(refusals).toBeGreaterThan(50)
  })

  it('[U19] leave every part of the model that they do not concern as the same object', () => {
    const loaded = configFrom(FILE, environment)
    const draft = new Draft(NOTHING_STORED, 1)
    draft.putServer('a', serverConfig('a', true))
    draft.putProject('p', { servers: ['a'] })
    draft.putProject('q', { servers: ['a'] })
    draft.putEndpoint('e', { project: 'p', auth: 'token', transparent: false })
    draft.putToken({ id: 't', name: 't', kind: 'client', hash: hashToken('t'), readOnly: false })
    const first = modelOf(loaded, draft.state)
    const withToken = new Draft(draft.state, 2)
    withToken.putToken({ id: 'u', name: 'u', kind: 'client', hash: hashToken('u'), readOnly: false })
    const second = modelOf(loaded, withToken.state, first)
    const { tokens: _old, ...kept } = first.model
    for (const [part, value] of Object.entries(kept)) expect(second.model[part as keyof GatewayModel]).toBe(value)
    expect(second.model.tokens.get(hashToken('t'))).toBe(first.model.tokens.get(hashToken('t')))
    const withProject = new Draft(withToken.state, 3)
    withProject.putProject('q', { servers: ['a'], exposure: 'full' })
    const third = modelOf(loaded, withProject.state, second)
    expect(third.model.projects.get('p')).toBe(first.model.projects.get('p'))
    expect(third.model.projects.get('q')).not.toBe(first.model.projects.get('q'))
    expect([third.model.servers, third.model.endpoints, third.model.tokens]).toEqual([
      second.model.servers,
      second.model.endpoints,
      second.model.tokens,
    ])
    expect(third.model.servers).toBe(second.model.servers)
    expect(third.model.tokens).toBe(second.model.tokens)
    expect(modelOf(loaded, { ...withProject.state, revision: 9 }, third).model).toBe(third.model)
    // A file that was read again and has the same content changes nothing.
    expect(modelOf(configFrom(FILE, environment), withProject.state, third).model).toBe(third.model)
  })
})
