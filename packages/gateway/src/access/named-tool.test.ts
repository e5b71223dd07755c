import { describe, expect, it } from 'vitest'
import type { NamingRules } from '../catalog/name-table.ts'
import { principalOf, projectOf, snapshotOf } from '../catalog/snapshot.case.ts'
import { GatewayError } from '../errors.ts'
import type { Principal } from '../model/principal.ts'
import { eligibleTools } from './eligible-tools.ts'
import { exposedNames } from './exposed-names.ts'
import { namedTool, type ServerTrouble } from './named-tool.ts'

const RULES: NamingRules = { separator: '__', dropPrefix: false, reserved: new Set() }

const CATALOG = snapshotOf([
  { id: 'ok', name: 'Files', tools: ['read', 'erase', 'burn', { name: 'look', annotations: { readOnlyHint: true } }] },
  { id: 'down', name: 'Mail', state: 'failed', tools: ['send'] },
  { id: 'off', name: 'Phone', state: 'stopped', tools: ['ring'] },
  { id: 'locked', name: 'Bank', state: 'needs-login', tools: ['pay'] },
  { id: 'held', name: 'Shop', state: 'held', tools: ['buy'] },
  { id: 'never', name: 'New', state: 'failed', tools: [] },
  { id: 'foreign', name: 'Secret', tools: ['launch'] },
  { id: 'far', name: 'Far', state: 'failed', tools: ['away'] },
])
const PROJECT = projectOf('p', ['ok', 'down', 'off', 'locked', 'held', 'never', 'far'], {
  'ok:burn': { allowed: false },
})
const PERMISSIONS = new Map([['ok', { erase: false }]])
const TROUBLE = new Map<string, ServerTrouble>([['down', { lastError: { message: 'it exited with code 1' } }]])

function ask(text: string, rights: Partial<Principal> = {}, rules = RULES): string | GatewayError {
  const principal = principalOf({ servers: new Set(PROJECT.serverIds.filter((id) => id !== 'far')), ...rights })
  const eligible = eligibleTools(principal, PROJECT, PERMISSIONS, CATALOG)
  const troubleOf = (id: string) => TROUBLE.get(id)
  const basis = { principal, project: PROJECT, serverTools: PERMISSIONS, catalog: CATALOG, troubleOf }
  try {
    return namedTool(text, { eligible, names: exposedNames(eligible, rules), rules, basis }).key
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}

const spellings = (id: string, name: string, tool: string): string[] => [
  `${id}:${tool}`,
  `${name}:${tool}`,
  `${name.toUpperCase()}:${tool}`,
  `${name}__${tool}`,
  `${name.toLowerCase()}__${tool}`,
  `${name}___${tool}`,
]

describe('namedTool', () => {
  it.each(spellings('ok', 'Files', 'read'))('finds an eligible tool as %s', (text) => {
    expect(ask(text)).toBe('ok:read')
  })

  it.each([
    ['ok', 'Files', 'erase', 'TOOL_DISABLED', 'for all projects'],
    ['ok', 'Files', 'burn', 'TOOL_DISABLED', 'in project "p"'],
    ['down', 'Mail', 'send', 'SERVER_FAILED', 'it exited with code 1'],
    ['off', 'Phone', 'ring', 'SERVER_STOPPED', 'can start it'],
    ['locked', 'Bank', 'pay', 'SERVER_NEEDS_LOGIN', 'tooldex server login locked'],
    ['held', 'Shop', 'buy', 'SERVER_HELD', 'approve'],
    ['never', 'New', 'anything', 'SERVER_FAILED', 'is not running'],
  ])('[R37] gives the real reason why %s (%s) %s is unavailable: %s', (id, name, tool, code, words) => {
    for (const text of spellings(id, name, tool)) {
      const answer = ask(text)
      expect(answer).toMatchObject({ code })
      expect((answer as GatewayError).message).toContain(words)
      expect((answer as GatewayError).details['remedy']).not.toBe('')
    }
  })

  it('[R37] gives the same answer for a tool of another project as for a missing one', () => {
    const reach: [string, Partial<Principal>, string[]][] = [
      ['a server outside the project', {}, spellings('foreign', 'Secret', 'launch')],
      ['a server that the token is not for', {}, spellings('far', 'Far', 'away')],
      [
        'a server that the token is not for, disabled',
        { servers: new Set(['down']) },
        spellings('ok', 'Files', 'erase'),
      ],
      ['another project', { projects: new Set(['q']) }, spellings('ok', 'Files', 'read')],
      ['a tool that writes, for a read-only token', { readOnly: true }, spellings('ok', 'Files', 'burn')],
    ]
    for (const [, rights, texts] of reach) {
      for (const text of texts) {
        const unknown = text.replace(/[a-zA-Z]/g, 'q')
        const [answer, other] = [ask(text, rights), ask(unknown, rights)] as [GatewayError, GatewayError]
        expect(answer.code).toBe('TOOL_NOT_FOUND')
        expect(answer.message.replaceAll(text, '…')).toBe(other.message.replaceAll(unknown, '…'))
        expect(Object.keys(answer.details)).toEqual(Object.keys(other.details))
      }
    }
  })

  it('[R37] also explains names without a server, if they are shown that way', () => {
    const rules = { ...RULES, dropPrefix: true }
    expect(ask('read', {}, rules)).toBe('ok:read')
    expect(ask('send', {}, rules)).toMatchObject({ code: 'SERVER_FAILED' })
    expect(ask('burn', {}, rules)).toMatchObject({ code: 'TOOL_DISABLED' })
    expect(ask('launch', {}, rules)).toMatchObject({ code: 'TOOL_NOT_FOUND' })
  })

  it('[R34] finds a tool by its own name alone, unless the gateway has that name or several tools do', () => {
    expect(ask('look')).toBe('ok:look')
    expect(ask('launch')).toMatchObject({ code: 'TOOL_NOT_FOUND' })
    expect(ask('look', {}, { ...RULES, reserved: new Set(['look']) })).toMatchObject({ code: 'TOOL_NOT_FOUND' })
    const catalog = snapshotOf([
      { id: 'a', tools: ['open'] },
      { id: 'b', tools: ['open'] },
    ])
    const project = projectOf('two', ['a', 'b'])
    const eligible = eligibleTools(principalOf(), project, new Map(), catalog)
    const basis = { principal: principalOf(), project, serverTools: new Map(), catalog, troubleOf: () => undefined }
    const named = { eligible, names: exposedNames(eligible, RULES), rules: RULES, basis }
    expect(() => namedTool('open', named)).toThrow(expect.objectContaining({ code: 'TOOL_AMBIGUOUS' }))
  })

  it('suggests only tools that the caller may see', () => {
    const answer = ask('Files__lookk', { readOnly: true }) as GatewayError
    expect(answer.details['near']).toEqual(['Files__look'])
    const erased = ask('Files__erasee') as GatewayError
    expect(erased.details['near']).toEqual([])
  })

  it('reports text that is not a name as not found', () => {
    for (const text of ['', ':', '__', 'x'.repeat(1_000_000), '\0', '__proto__', 'constructor:constructor']) {
      expect(ask(text)).toMatchObject({ code: 'TOOL_NOT_FOUND' })
    }
  })
})

describe('namedTool while servers start', () => {
  const servers = [
    { id: 'known', name: 'Known', tools: ['read'] },
    { id: 'a', name: 'Ann', state: 'starting', awaitedSince: 0 },
    { id: 'b', name: 'Bob', state: 'idle', awaitedSince: 0 },
    { id: 'far', name: 'Far', state: 'starting', awaitedSince: 0 },
    { id: 'mute', name: 'Mute', toolsUnknown: 'its list is broken' },
  ] as const
  const catalog = snapshotOf(servers)
  const project = projectOf('p', ['known', 'a', 'b', 'mute'])
  const attempt = (text: string) => {
    const principal = principalOf({})
    const eligible = eligibleTools(principal, project, new Map(), catalog)
    const basis = { principal, project, serverTools: new Map(), catalog, troubleOf: () => undefined }
    expect(eligible.awaited.map(({ id }) => id)).toEqual(['a', 'b'])
    try {
      return namedTool(text, { eligible, names: exposedNames(eligible, RULES), rules: RULES, basis }).key
    } catch (error) {
      return error
    }
  }

  it('[R37] names the server that starts, and never says that its tool does not exist', () => {
    for (const text of ['a:do', 'Ann__do', 'ann___do']) {
      expect(attempt(text)).toMatchObject({ code: 'SERVER_STARTING', details: { server: 'Ann', servers: ['Ann'] } })
    }
  })

  it('[R37] names every server that starts if the name could belong to any of them', () => {
    expect(attempt('do')).toMatchObject({
      code: 'SERVER_STARTING',
      message: expect.stringContaining('"Ann", "Bob" are still starting'),
      details: { servers: ['Ann', 'Bob'] },
    })
  })

  it('[R37] answers for known servers, and treats servers beyond the caller as unknown names', () => {
    expect(attempt('known:read')).toBe('known:read')
    expect(attempt('known:gone')).toMatchObject({ code: 'TOOL_NOT_FOUND' })
    expect(attempt('far:do')).toMatchObject({ code: 'SERVER_STARTING', details: { servers: ['Ann', 'Bob'] } })
  })

  it('[R22] says why the tools of a running server are unknown', () => {
    expect(attempt('mute:do')).toMatchObject({
      code: 'SERVER_FAILED',
      message: expect.stringContaining('"Mute" is running, but its tools are unknown: its list is broken'),
    })
  })
})
