import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ResourceUris, UriTemplate } from './resource-uris.ts'
import { serverOf } from './snapshot.case.ts'

const a = serverOf({ id: 'a', resources: ['file:///x', 'a:only'], resourceTemplates: ['db://a/{id}', 'same://{id}'] })
const b = serverOf({ id: 'b', resources: ['file:///x'], resourceTemplates: ['db://{table}/{id}', 'same://{id}'] })
const silent = serverOf({ id: 'silent' })

describe('ResourceUris', () => {
  const uris = new ResourceUris([a, b, silent])

  it('does not change a URI of a single server', () => {
    expect(uris.exposedUri(a, 'a:only')).toBe('a:only')
    expect(uris.targetOf('a:only')).toEqual({ server: a, uri: 'a:only' })
  })

  it('qualifies a URI of several servers for each of them, and does not resolve it unqualified', () => {
    expect(uris.exposedUri(a, 'file:///x')).toBe('tooldex+a:file:///x')
    expect(uris.exposedUri(b, 'file:///x')).toBe('tooldex+b:file:///x')
    expect(uris.targetOf('tooldex+b:file:///x')).toEqual({ server: b, uri: 'file:///x' })
    expect(uris.targetOf('file:///x')).toBeUndefined()
  })

  it('finds the resource that shows the results of a tool, listed or not', () => {
    const app = (id: string, uri: string) =>
      serverOf({ id, tools: [{ name: 't', _meta: { ui: { resourceUri: uri } } }] })
    const [one, two] = [app('one', 'ui://chart'), app('two', 'ui://map')]
    const apps = new ResourceUris([a, b, one, two, app('three', 'ui://map')])
    expect(apps.targetOf('ui://chart')).toEqual({ server: one, uri: 'ui://chart' })
    expect(apps.targetOf('ui://map')).toBeUndefined()
    expect(apps.exposedUri(two, 'ui://map')).toBe('tooldex+two:ui://map')
    expect(apps.targetOf('ui://other')).toBeUndefined()
  })

  it('finds unlisted URIs by the most specific template', () => {
    expect(uris.targetOf('db://a/7')?.server).toBe(a)
    expect(uris.targetOf('db://c/7')?.server).toBe(b)
    expect(uris.targetOf('same://7')).toBeUndefined()
    expect(uris.exposedUri(a, 'same://{id}')).toBe('tooldex+a:same://{id}')
    expect(uris.targetOf('tooldex+a:same://7')).toEqual({ server: a, uri: 'same://7' })
  })

  it('sends an unknown URI to the only server with resources, and to none if there are several', () => {
    expect(uris.targetOf('who:knows')).toBeUndefined()
    expect(new ResourceUris([a, silent]).targetOf('who:knows')?.server).toBe(a)
    expect(new ResourceUris([silent]).targetOf('who:knows')?.server).toBe(silent)
    expect(new ResourceUris([]).targetOf('who:knows')).toBeUndefined()
  })

  it('does not let a server imitate the URI of another', () => {
    const evil = serverOf({ id: 'evil', resources: ['tooldex+a:secret:1'], resourceTemplates: ['tooldex+{x}'] })
    const mixed = new ResourceUris([evil, a])
    expect(mixed.targetOf('tooldex+a:secret:1')).toEqual({ server: a, uri: 'secret:1' })
    const exposed = mixed.exposedUri(evil, 'tooldex+a:secret:1')
    expect(mixed.targetOf(exposed)).toEqual({ server: evil, uri: 'tooldex+a:secret:1' })
    expect(mixed.targetOf('tooldex+nobody:x')).toBeUndefined()
    expect(mixed.targetOf('tooldex+')).toBeUndefined()
  })

  it('uses schemes that differ for every server, also in lower case', () => {
    const ids = ['GitHub', 'github', 'my server', 'my-server', 'ü', '__proto__']
    const servers = ids.map((id) => serverOf({ id, resources: ['x:1'] }))
    const table = new ResourceUris(servers)
    const exposed = servers.map((server) => table.exposedUri(server, 'x:1'))
    expect(new Set(exposed).size).toBe(ids.length)
    for (const uri of exposed) expect(new URL(uri).href).toBe(uri)
  })

  it('resolves every exposed URI, in any order of servers', () => {
    const uri = fc.constantFrom('x:1', 'x:2', 'x:1/2', 'tooldex+s0:x:1', 'tooldex+s1:', 'y', '')
    const template = fc.constantFrom('x:{a}', 'x:{a}/{b}', '{+any}', 'x:{a', 'tooldex+{s}:x')
    const server = fc.record({ resources: fc.array(uri), resourceTemplates: fc.array(template) })
    fc.assert(
      fc.property(fc.array(server, { maxLength: 4 }), uri, (sketches, asked) => {
        const servers = sketches.map((sketch, at) => serverOf({ id: `s${at}`, ...sketch }))
        const [table, reversed] = [new ResourceUris(servers), new ResourceUris(servers.toReversed())]
        for (const one of servers) {
          for (const text of [asked, ...sketches.flatMap(({ resources }) => resources)]) {
            const exposed = table.exposedUri(one, text)
            expect(table.targetOf(exposed)).toEqual({ server: one, uri: text })
            expect(reversed.exposedUri(one, text)).toBe(exposed)
          }
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('UriTemplate', () => {
  it.each([
    ['file:///{path}', 'file:///a', true],
    ['file:///{path}', 'file://', false],
    ['a/{b}/c', 'a/x/c', true],
    ['a/{b}/c', 'a/c', false],
    ['a{b}a', 'a', false],
    ['{a}', 'anything', true],
    ['plain', 'plain', true],
    ['plain', 'other', false],
    ['{x}b{y}b', 'b', false],
    ['{?q,r}', '?q=1', true],
  ])('%s matches %s: %s', (template, uri, expected) => {
    expect(new UriTemplate(template).matches(uri)).toBe(expected)
  })

  it('matches hostile templates quickly', () => {
    const template = new UriTemplate(`${'{a}a'.repeat(2_000)}b`)
    expect(template.matches('a'.repeat(50_000))).toBe(false)
  })
})
