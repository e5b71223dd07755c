import { checkConfig } from '@tooldex/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashToken } from '../access/tokens.ts'
import type { StoredState, StoredToken } from '../model/stored-state.ts'
import { StoredTokens } from '../model/stored-tokens.ts'
import { mergeConfig, NOTHING_STORED } from './merge-config.ts'
import { toModel } from './to-model.ts'

const times = { createdAt: 1, updatedAt: 1 }
const checked = (value: unknown) => {
  const { config, problems } = checkConfig(value)
  if (config === undefined) throw new Error(JSON.stringify(problems))
  return config
}

/** A stored state of entries in the shape of a file. */
function stored(value: Record<string, unknown>, tokens: readonly Partial<StoredToken>[] = []): StoredState {
  const { mcpServers = {}, projects = {}, endpoints = {} } = value as Record<string, Record<string, object>>
  const servers = checked({ mcpServers }).mcpServers ?? {}
  const list = <Config>(entries: Record<string, Config>) =>
    Object.entries(entries).map(([id, config]) => ({ id, config, ...times }))
  return {
    ...NOTHING_STORED,
    servers: list(servers),
    projects: list(projects),
    endpoints: list(endpoints).map((each) => ({
      ...each,
      config: { project: 'default', auth: 'token', transparent: false, ...each.config },
    })),
    tokens: StoredTokens.of(
      tokens.map((token, index) => ({
        id: `t${index}`,
        name: `token ${index}`,
        kind: 'client',
        hash: hashToken(String(index)),
        readOnly: false,
        ...times,
        ...token,
      })),
    ),
  }
}
const modelOf = (declared: unknown, state: StoredState) => {
  const { merged, problems } = mergeConfig(declared, state)
  if (merged === undefined) throw new Error(JSON.stringify(problems))
  return toModel(merged.config, merged)
}
const command = { command: 'x' }

describe('mergeConfig', () => {
  it('puts stored entries after those of the file, and allows references in both directions', () => {
    const state = stored({ mcpServers: { s: command }, projects: { p: { servers: ['f', 's'] } } }, [
      { projects: ['q'] },
    ])
    const model = modelOf(
      {
        mcpServers: { f: command },
        projects: { q: { servers: ['s'] } },
        endpoints: { e: { project: 'p' } },
        tokens: [{ name: 'file', value: 'x'.repeat(16), projects: ['p'] }],
      },
      state,
    )
    expect(model.servers.map(({ id }) => id)).toEqual(['f', 's'])
    expect(model.projects.get('p')?.serverIds).toEqual(['f', 's'])
    expect([...model.tokens.values()].map(({ tokenId }) => tokenId).toSorted()).toEqual(['file', 't0'])
    expect(model.endpoints.get('e')?.projectId).toBe('p')
  })

  it('accepts the alias of mcpServers', () => {
    expect(modelOf({ servers: { f: command } }, stored({ mcpServers: { s: command } })).servers).toHaveLength(2)
  })

  it('leaves admin tokens out', () => {
    expect(modelOf({}, stored({}, [{ kind: 'admin' }])).tokens.size).toBe(0)
  })

  it.each([
    ['server', { mcpServers: { x: command } }, stored({ mcpServers: { x: command } }), 'tooldex server remove x'],
    [
      'project',
      { projects: { x: { servers: [] } } },
      stored({ projects: { x: { servers: [] } } }),
      'tooldex project remove x',
    ],
    ['endpoint', { endpoints: { x: {} } }, stored({ endpoints: { x: {} } }), 'tooldex endpoint remove x'],
    [
      'token',
      { tokens: [{ name: 'CI', sha256: 'ab'.repeat(32) }] },
      stored({}, [{ name: 'ci' }]),
      'tooldex token revoke ci',
    ],
    [
      'token',
      { tokens: [{ name: 't0', sha256: 'ab'.repeat(32) }] },
      stored({}, [{ name: 'ci' }]),
      'tooldex token revoke ci',
    ],
  ])('refuses a %s that both declare, with the remedy', (part, declared, state, remedy) => {
    const { problems } = mergeConfig(declared, state)
    expect(problems).toHaveLength(1)
    expect(problems[0]?.message).toContain(`the ${part} `)
    expect(problems[0]?.message).toContain(remedy)
  })

  it('refuses two tokens with the same secret, as value or hash', () => {
    const state = stored({}, [{ hash: hashToken('a secret of some length'), readOnly: true }])
    for (const secret of [{ value: 'a secret of some length' }, { sha256: hashToken('a secret of some length') }]) {
      expect(mergeConfig({ tokens: [{ name: 'f', ...secret }] }, state).problems[0]?.message).toContain('same secret')
    }
  })

  it('drops missing references, and keeps everything else', () => {
    const state = stored(
      {
        projects: { p: { servers: ['gone', 's'], tools: { 'gone:t': { pinned: true }, 's:t': { allowed: false } } } },
        endpoints: { e: { project: 'nowhere' }, default: { project: 'nowhere' } },
        mcpServers: { s: command },
      },
      [{ projects: ['nowhere'] }, { servers: ['gone'] }],
    )
    const model = modelOf({}, state)
    expect(model.projects.get('p')).toMatchObject({ serverIds: ['s'] })
    expect([...(model.projects.get('p')?.tools.keys() ?? [])]).toEqual(['s:t'])
    // A token keeps the reference, which gives it nothing: an absent list would mean all.
    const ofToken = (at: number) => model.tokens.get(hashToken(String(at)))
    expect([ofToken(0), ofToken(1)]).toMatchObject([{ projects: new Set(['nowhere']) }, { servers: new Set(['gone']) }])
    // Not even the built-in default endpoint takes its place: it would serve another project.
    expect(model.endpoints.size).toBe(0)
  })

  it('closes a stored endpoint that became invalid, such as a transparent one whose project lost its server', () => {
    const state = stored({
      projects: { p: { servers: ['gone'] } },
      endpoints: { e: { project: 'p', transparent: true }, ok: { project: 'p' } },
    })
    const { merged } = mergeConfig({}, state)
    expect([...(merged?.closedEndpoints ?? [])]).toEqual(['e'])
    expect(merged?.leftOut.join()).toContain('endpoint e is no longer valid')
  })

  it('does not use a server whose secrets cannot be read', () => {
    const state = stored({ mcpServers: { s: { ...command, disabled: false } } })
    const servers = state.servers.map((server) => ({ ...server, unreadableSecrets: ['env'] as const }))
    const { merged } = mergeConfig({}, { ...state, servers })
    expect(merged?.config.mcpServers?.['s']?.enabled).toBe(false)
  })

  it('reports the problems of the file itself', () => {
    for (const value of [[], 'x', null, { projects: 'x' }, { tokens: {} }, { mcpServers: { a: { comand: 'x' } } }]) {
      const alone = checkConfig(value).problems
      expect(mergeConfig(value, NOTHING_STORED).problems).toEqual(alone)
      const { problems } = mergeConfig(
        value,
        stored({ mcpServers: { s: command }, projects: { p: { servers: ['s'] } } }),
      )
      expect(problems.length).toBeGreaterThan(0)
    }
  })
})

const IDS = ['a', 'b', 'c', 'd']
const someIds = fc.subarray(IDS)
const tools = fc.dictionary(fc.constantFrom(...IDS.map((id) => `${id}:t`)), fc.record({ allowed: fc.boolean() }), {
  maxKeys: 4,
})
const part = fc.record({
  servers: fc.dictionary(fc.constantFrom(...IDS), fc.record({ toolPermissions: fc.constant({ t: false }) }), {
    maxKeys: 4,
  }),
  projects: fc.dictionary(fc.constantFrom('p', 'q', 'r', 'default'), fc.record({ servers: someIds, tools }), {
    maxKeys: 4,
  }),
  endpoints: fc.dictionary(
    fc.constantFrom('e', 'f', 'default'),
    fc.record({ project: fc.constantFrom('p', 'q', 'gone'), transparent: fc.constant(false) }),
    { maxKeys: 3 },
  ),
  tokens: fc.array(
    fc.record(
      { projects: fc.subarray(['p', 'q', 'gone']), servers: someIds, readOnly: fc.boolean(), expiresAt: fc.nat(1e12) },
      { requiredKeys: ['readOnly'] },
    ),
    { maxLength: 3 },
  ),
})
type Part = typeof part extends fc.Arbitrary<infer Each> ? Each : never
const only = <Each>(entries: Record<string, Each>, isWanted: (id: string) => boolean): Record<string, Each> =>
  Object.fromEntries(Object.entries(entries).filter(([id]) => isWanted(id)))

/** Makes a valid file of arbitrary values: invalid ones would not test the merge. */
function validFile({ servers, projects, endpoints, tokens }: Part): Part {
  const own = only(servers, (id) => 'ab'.includes(id))
  const has = (id: string): boolean => Object.hasOwn(own, id)
  const named = Object.entries(only(projects, (id) => ['p', 'default'].includes(id))).map(([id, each]) => {
    const kept = each.servers.filter(has)
    return [id, { servers: kept, tools: only(each.tools, (key) => kept.includes(key[0] ?? '')) }] as const
  })
  const known = Object.fromEntries(named)
  return {
    servers: own,
    projects: known,
    endpoints: only(endpoints, (id) => Object.hasOwn(known, endpoints[id]?.project ?? '') && id === 'e'),
    tokens: tokens.map((token) => ({
      ...token,
      ...(token.projects !== undefined && { projects: token.projects.filter((id) => Object.hasOwn(known, id)) }),
      ...(token.servers !== undefined && { servers: token.servers.filter(has) }),
    })),
  }
}

/** A stored state with other ids and arbitrary references. */
function beside(file: Part, store: Part): Part {
  return {
    servers: only(store.servers, (id) => !Object.hasOwn(file.servers, id)),
    projects: only(store.projects, (id) => !Object.hasOwn(file.projects, id)),
    endpoints: only(store.endpoints, (id) => !Object.hasOwn(file.endpoints, id)),
    tokens: store.tokens,
  }
}

const within = (few: Iterable<string> | undefined, many: readonly string[] | undefined): boolean =>
  many === undefined || (few !== undefined && [...few].every((each) => many.includes(each)))

describe('a merge', () => {
  it('[R17] never grants a token, project or endpoint more than its source', () => {
    let merges = 0
    fc.assert(
      fc.property(part, part, (first, second) => {
        const file = validFile(first)
        const store = beside(file, second)
        const servers = Object.fromEntries(
          Object.entries(store.servers).map(([id, more]) => [id, { command: 'x', ...more }]),
        )
        const state = stored(
          { mcpServers: servers, projects: store.projects, endpoints: store.endpoints },
          store.tokens,
        )
        const declared = {
          mcpServers: Object.fromEntries(
            Object.entries(file.servers).map(([id, more]) => [id, { command: 'x', ...more }]),
          ),
          projects: file.projects,
          endpoints: file.endpoints,
          tokens: file.tokens.map(({ expiresAt, ...token }, index) => ({
            name: `file ${index}`,
            sha256: hashToken(`file ${index}`),
            ...token,
            ...(expiresAt !== undefined && { expires: new Date(expiresAt).toISOString() }),
          })),
        }
        const { merged } = mergeConfig(declared, state)
        if (merged === undefined) return
        merges++
        const model = toModel(merged.config, merged)
        for (const [id, project] of Object.entries({ ...file.projects, ...store.projects })) {
          const made = model.projects.get(id)
          expect(within(made?.serverIds, project.servers)).toBe(true)
          for (const [key, { allowed }] of Object.entries(project.tools)) {
            const isReachable = made?.serverIds.includes(key[0] ?? '')
            if (isReachable === true && !allowed) expect(made?.tools.get(key as never)?.allowed).toBe(false)
          }
        }
        for (const [id, { project }] of Object.entries({ ...file.endpoints, ...store.endpoints })) {
          expect([undefined, project]).toContain(model.endpoints.get(id)?.projectId)
        }
        const sources = [
          ...file.tokens.map((token, index) => ({ ...token, hash: hashToken(`file ${index}`) })),
          ...state.tokens,
        ]
        expect(model.tokens.size).toBe(sources.length)
        for (const { hash, projects, servers: own, readOnly, expiresAt } of sources) {
          const made = model.tokens.get(hash)
          expect(within(made?.projects, projects) && within(made?.servers, own)).toBe(true)
          expect(made).toMatchObject({ readOnly, ...(expiresAt !== undefined && { expiresAt }) })
        }
        for (const id of [...Object.keys(file.servers), ...Object.keys(store.servers)]) {
          expect(model.serverTools.get(id)?.['t']).toBe(false)
        }
      }),
      { numRuns: 300 },
    )
    // Otherwise the property would be vacuous.
    expect(merges).toBeGreaterThan(200)
  })
})
