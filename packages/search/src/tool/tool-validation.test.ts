import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasCode } from '../errors.ts'
import { checkNamespace, readMcpTool, readTool } from './tool-validation.ts'

const refusal = (field: string, tool: unknown = expect.any(String)) =>
  expect.objectContaining({
    code: 'INVALID_TOOL',
    details: { tool, field, reason: expect.stringContaining(field) },
  })

describe('readTool', () => {
  it('adds the id, normalises tags, and keeps the rest as it is', () => {
    const tool = {
      name: 'create_issue',
      namespace: 'github',
      inputSchema: { type: 'object' },
      vendor: { x: 1 },
      title: undefined,
    }
    expect(readTool({ ...tool, id: 'spoofed', tags: [' A B '] })).toEqual({
      id: 'github:create_issue',
      name: 'create_issue',
      namespace: 'github',
      inputSchema: { type: 'object' },
      vendor: { x: 1 },
      tags: ['a-b'],
    })
  })

  it.each(['__proto__', 'constructor', 'toString', 'ツール', 'a:b', ' padded ', 'x'.repeat(256), '😀'])(
    '[T3] takes the name %j',
    (name) => {
      expect(readTool({ name })).toEqual({ id: name, name })
    },
  )

  it.each([
    '',
    ' ',
    '\n',
    'a\u0000b',
    'a\u007f',
    'a\u0085b',
    'lone \ud800',
    'x'.repeat(257),
    1,
    null,
    undefined,
    {},
    ['a'],
  ])('[T3] refuses the name %j', (name) => {
    expect(() => readTool({ name })).toThrow(refusal('name'))
  })

  it.each([
    ['namespace', ''],
    ['namespace', 'a:b'],
    ['namespace', null],
    ['namespaceDescription', 1],
    ['title', {}],
    ['description', null],
    ['description', ['text']],
    ['inputSchema', 'object'],
    ['inputSchema', []],
    ['inputSchema', null],
    ['outputSchema', true],
    ['annotations', []],
    ['icons', {}],
    ['_meta', 1],
    ['tags', 'a'],
    ['tags', [1]],
  ])('[T3] refuses %s %j and names the tool', (field, value) => {
    expect(() => readTool({ name: 'create_issue', [field]: value })).toThrow(refusal(field, 'create_issue'))
  })

  it.each([null, undefined, 1, 'tool', true, [], () => 1, Symbol('x')])(
    '[T3] refuses a value that is not an object, and names its position',
    (input) => {
      expect(() => readTool(input, 3)).toThrow(refusal('tool', '#3'))
    },
  )

  it('[T3] answers by code for every failure of reading', () => {
    const explode = () => {
      throw new TypeError('boom')
    }
    const cyclic: Record<string, unknown> = { name: 'x' }
    cyclic['inputSchema'] = { properties: cyclic }
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    const hostile = [
      Object.defineProperty({}, 'name', { get: explode, enumerable: true }),
      { name: 'x', inputSchema: Object.defineProperty({}, 'type', { get: explode, enumerable: true }) },
      { name: 'x', inputSchema: new Proxy({}, { ownKeys: explode }) },
      { name: 'x', tags: new Proxy([], { get: explode }) },
      new Proxy({}, { get: explode }),
      revoked.proxy,
      cyclic,
      { name: 'x', _meta: { big: 1n } },
    ]
    for (const tool of hostile) expect(() => readTool(tool)).toThrow(expect.objectContaining({ code: 'INVALID_TOOL' }))
  })

  it('[T3] yields a tool or INVALID_TOOL for anything', () => {
    const keys = fc.constantFrom(
      'name',
      'namespace',
      'title',
      'description',
      'inputSchema',
      'tags',
      'icons',
      '__proto__',
    )
    const input = fc.oneof(
      fc.anything({ withBigInt: true, withDate: true, withMap: true }),
      fc.dictionary(keys, fc.anything()),
    )
    fc.assert(
      fc.property(input, (tool) => {
        try {
          expect(readTool(tool).id).toEqual(expect.any(String))
        } catch (error) {
          if (!hasCode(error, 'INVALID_TOOL')) throw error
        }
      }),
    )
  })

  it('shortens a long name in the message', () => {
    expect(() => readTool({ name: 'x'.repeat(1_000_000) })).toThrow(refusal('name', `${'x'.repeat(100)}…`))
  })
})

describe('readMcpTool', () => {
  const context = { namespace: 'github', description: 'Code hosting', tags: ['code', 'dev'] }

  it('[T13] takes namespace and description from the context, never from the server', () => {
    const spoofed = { name: 'search', namespace: 'bank', namespaceDescription: 'Trust me', id: 'bank:search' }
    expect(readMcpTool(spoofed, context)).toEqual({
      id: 'github:search',
      name: 'search',
      namespace: 'github',
      namespaceDescription: 'Code hosting',
      tags: ['code', 'dev'],
    })
    expect(readMcpTool(spoofed, { namespace: 'x', description: undefined, tags: [] })).toEqual({
      id: 'x:search',
      name: 'search',
      namespace: 'x',
    })
  })

  it('[T11] joins the tags of the tool and of the server, and leaves out what is no text', () => {
    expect(readMcpTool({ name: 'a', tags: ['Own', 7, 'dev'] }, context).tags).toEqual(['own', 'dev', 'code'])
    expect(readMcpTool({ name: 'a', tags: 'odd' }, context).tags).toEqual(['code', 'dev'])
  })
})

describe('checkNamespace', () => {
  it.each(['', 'a:b', 'a\nb', null, 7])('refuses %j', (namespace) => {
    expect(() => checkNamespace(namespace)).toThrow(refusal('namespace'))
  })
})
