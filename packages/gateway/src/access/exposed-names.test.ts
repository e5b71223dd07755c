import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eligibleTools } from './eligible-tools.ts'
import { ExposedNameTables, exposedNames } from './exposed-names.ts'
import { LONGEST_EXPOSED_NAME, type Nameable, type NamingRules, nameTable } from '../catalog/name-table.ts'
import { principalOf, projectOf, snapshotOf } from '../catalog/snapshot.case.ts'

const rules = (over: Partial<NamingRules> = {}): NamingRules => ({
  separator: '__',
  dropPrefix: false,
  reserved: new Set(['tool_discovery', 'tool_execute']),
  ...over,
})

const thing = (serverId: string, name: string, serverName = serverId): Nameable => ({
  key: `${serverId}:${name}`,
  serverName,
  name,
})

const namesOf = (things: readonly Nameable[], over: Partial<NamingRules> = {}): (string | undefined)[] => {
  const table = nameTable(things, rules(over))
  return things.map((one) => table.nameOf(one))
}

describe('exposed names', () => {
  it('[M6] are server__tool', () => {
    expect(namesOf([thing('github', 'create_issue')])).toEqual(['github__create_issue'])
  })

  it('[P4] are server___tool in the mcproxy dialect', () => {
    expect(namesOf([thing('github', 'create_issue')], { separator: '___' })).toEqual(['github___create_issue'])
  })

  it('omit the server only where the name is unique', () => {
    const things = [thing('a', 'search'), thing('b', 'search'), thing('b', 'open')]
    expect(namesOf(things, { dropPrefix: true })).toEqual(['a__search', 'b__search', 'open'])
  })

  it('[R6] are never names of the gateway’s own tools', () => {
    const things = [thing('a', 'tool_execute'), thing('', 'x')]
    expect(namesOf(things, { dropPrefix: true })).toEqual(['a__tool_execute', 'x'])
    const [name] = namesOf([thing('tool', 'execute')], { reserved: new Set(['tool__execute']) })
    expect(name).toMatch(/^tool__execute_[0-9a-f]{8}$/)
  })

  it('are those that a project gives, and no other tool gets one of them', () => {
    const things = [thing('a', 'search'), thing('b', 'find'), thing('a', 'open')]
    const table = nameTable(things, rules(), new Map([['a:search', 'b__find']]))
    expect(things.map((one) => table.nameOf(one))).toEqual([
      'b__find',
      expect.stringMatching(/^b__find_[0-9a-f]{8}$/),
      'a__open',
    ])
    expect(table.get('a__search')).toBeUndefined()
  })

  it('ignore a given name that is reserved, that two tools have, or at a transparent endpoint', () => {
    const things = [thing('a', 'x'), thing('a', 'y'), thing('a', 'z')]
    const given = new Map([
      ['a:x', 'tool_execute'],
      ['a:y', 'same'],
      ['a:z', 'same'],
    ])
    const table = nameTable(things, rules(), given)
    expect(things.map((one) => table.nameOf(one))).toEqual(['a__x', 'a__y', 'a__z'])
    const verbatim = nameTable(things, rules({ verbatim: true }), new Map([['a:x', 'new']]))
    expect(verbatim.nameOf(things[0] ?? thing('', ''))).toBe('x')
  })

  it('have only characters that clients accept', () => {
    expect(namesOf([thing('s', 'read/файл 1', 'My Files')])).toEqual(['My_Files__read______1'])
  })

  it('[M6] are cut to fit together with the prefix of clients, with a hash that keeps them unique', () => {
    const long = 'x'.repeat(63)
    const [first = '', second = ''] = namesOf([thing('server', `${long}1`), thing('server', `${long}2`)])
    expect(`mcp__tooldex__${first}`).toHaveLength(64)
    expect(first).toMatch(/^server__x+1_[0-9a-f]{8}$/)
    expect(first).not.toBe(second)
  })

  it('are given to neither of two tools that want the same name, so that a name never changes its meaning', () => {
    const [first = '', second = ''] = namesOf([thing('a', 'b__c'), thing('a__b', 'c')])
    expect(first).toMatch(/^a__b__c_[0-9a-f]{8}$/)
    expect(second).toMatch(/^a__b__c_[0-9a-f]{8}$/)
    expect(first).not.toBe(second)
  })

  it.each([
    ['twilio', 'TwilioApiV2010--ListAvailablePhoneNumberTollFree', 'twilio__ListAvailablePhoneNumberTollFree_'],
    ['twilio', 'TwilioApiV2010--CreateValidationRequestOfAccount', 'twilio__CreateValidationRequestOfAccount_'],
    ['cloud', 'projects_locations_clusters_nodes_get_by_name_or_label', 'cloud__nodes_get_by_name_or_label_'],
    ['a-server-with-a-very-long-name-of-its-own', 'list_files', 'a-server-with-a-very-long-nam__list_files_'],
    ['a-server-with-a-long-name', 'projects_locations_clusters_get_by_name', 'a-server-wit__clusters_get_by_name_'],
  ])('keep the beginning of the server and the end of the tool: %s, %s', (server, tool, readable) => {
    const [name = ''] = namesOf([thing(server, tool)])
    expect(name.slice(0, -8)).toBe(readable)
    expect(`mcp__tooldex__${name}`.length).toBeLessThanOrEqual(64)
    expect(namesOf([thing('other', 'x'), thing(server, tool)])[1]).toBe(name)
  })

  it('cannot be taken over by a tool with the hashed name of another', () => {
    const rivals = [thing('a', 'b__c'), thing('a__b', 'c')]
    const [hashed = ''] = namesOf(rivals)
    const squatter = thing('a', hashed.slice('a__'.length))
    const [first, second, third] = namesOf([...rivals, squatter])
    expect(new Set([first, second, third]).size).toBe(3)
    expect(third).not.toBe(hashed)
    expect(first).not.toBe(hashed)
  })

  it('are the servers’ own names on a transparent endpoint', () => {
    expect(namesOf([thing('a', 'tést/💡:x')], { verbatim: true, reserved: new Set() })).toEqual(['tést/💡:x'])
  })

  it('are computed quickly if all tools have the same name', () => {
    const things = Array.from({ length: 5_000 }, (_, at) => thing(`s${at}`, 'tool', 'same'))
    expect(new Set(namesOf(things, { dropPrefix: true })).size).toBe(5_000)
  })
})

/** Few letters, so that names collide. */
const word = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[ab_ ]{1,5}$/) },
  fc.constantFrom('tool_execute', '__proto__', 'constructor', 'a__b', 'x'.repeat(60), `${'x'.repeat(60)}y`, 'ü', 'a:b'),
)
const things = fc.array(fc.record({ server: fc.nat(3), name: word }), { maxLength: 12 }).chain((items) =>
  fc.array(word, { minLength: 4, maxLength: 4 }).map((serverNames) => {
    const all = items.map(({ server, name }) => thing(`s${server}`, name, serverNames[server]))
    return [...new Map(all.map((one) => [one.key, one])).values()]
  }),
)
const anyRules = fc.record({
  separator: fc.constantFrom('__' as const, '___' as const),
  dropPrefix: fc.boolean(),
  reserved: fc.constant(new Set(['tool_execute', 'a', 'a__b'])),
})

describe('exposed names of any tools', () => {
  it('exist for all tools, are unique, at most 64 characters with the prefix of clients, of safe characters, not reserved, and resolve to the tool', () => {
    fc.assert(
      fc.property(things, anyRules, (all, how) => {
        const table = nameTable(all, how)
        expect(table.size).toBe(all.length)
        for (const one of all) {
          const name = table.nameOf(one) ?? ''
          expect(name.length).toBeLessThanOrEqual(LONGEST_EXPOSED_NAME)
          expect(name).toMatch(/^[A-Za-z0-9_.-]+$/)
          expect(how.reserved.has(name)).toBe(false)
          expect(table.get(name)).toBe(one)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('do not depend on the order', () => {
    const shuffled = things.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
    )
    fc.assert(
      fc.property(shuffled, anyRules, ([all, other], how) => {
        const [table, otherTable] = [nameTable(all, how), nameTable(other, how)]
        for (const one of all) expect(otherTable.nameOf(one)).toBe(table.nameOf(one))
      }),
      { numRuns: 1_000 },
    )
  })

  it('do not change their meaning when tools are added: a name refers to the same tool or to a new one', () => {
    fc.assert(
      fc.property(things, things, anyRules, (all, more, how) => {
        const added = more.map((one) => ({ ...one, key: `new-${one.key}` }))
        const before = nameTable(all, how)
        const after = nameTable([...all, ...added], how)
        for (const one of all) {
          const name = before.nameOf(one) ?? ''
          const meaning = after.get(name)
          if (meaning !== undefined && all.includes(meaning)) expect(meaning).toBe(one)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('stay the same when tools with unrelated names are added', () => {
    fc.assert(
      fc.property(things, anyRules, (all, how) => {
        const before = nameTable(all, how)
        const after = nameTable([...all, thing('q', 'quite_else'), thing('q', 'other')], how)
        for (const one of all) expect(after.nameOf(one)).toBe(before.nameOf(one))
      }),
      { numRuns: 300 },
    )
  })
})

describe('exposedNames', () => {
  it('names the tools of one caller only, and caches the table', () => {
    const catalog = snapshotOf([
      { id: 'a', tools: ['b__c'] },
      { id: 'a__b', tools: ['c'] },
    ])
    const eligible = eligibleTools(
      principalOf({ servers: new Set(['a']) }),
      projectOf('p', ['a', 'a__b']),
      new Map(),
      catalog,
    )
    const how = rules()
    expect(exposedNames(eligible, how).get('a__b__c')?.key).toBe('a:b__c')
    const tables = new ExposedNameTables()
    expect(tables.exposedNames(eligible, how)).toBe(tables.exposedNames(eligible, how))
    expect(tables.exposedNames(eligible, rules({ separator: '___' })).get('a___b__c')?.key).toBe('a:b__c')
  })
})
