import { describe, expect, it } from 'vitest'
import { escapeReferences, substitute } from './substitute.ts'

const variables = { TOKEN: 'secret', EMPTY: '', constructor: 'own' }
const files = new Map([['/run/key', 'from file']])
const sources = { variables, home: '/srv/ana', readFile: (path: string) => files.get(path) }

describe('substitute', () => {
  it.each([
    ['Bearer ${TOKEN}', 'Bearer secret'],
    ['${env:TOKEN}', 'secret'],
    ['${MISSING:-http://h:1/}', 'http://h:1/'],
    ['${MISSING:-}', ''],
    ['${EMPTY}', ''],
    ['${EMPTY:-full}', 'full'],
    ['${TOKEN:-other}${TOKEN}', 'secretsecret'],
    ['$${TOKEN}', '${TOKEN}'],
    ['$TOKEN and {TOKEN}', '$TOKEN and {TOKEN}'],
    ['${workspaceFolder/x}', '${workspaceFolder/x}'],
    ['${constructor}', 'own'],
    ['${userHome}/notes', '/srv/ana/notes'],
    ['${file:/run/key}', 'from file'],
  ])('makes of %s', (text, expected) => {
    expect(substitute({ a: [text] }, sources)).toEqual({ value: { a: [expected] }, problems: [], missing: [] })
  })

  it('names the key and the variable that is missing', () => {
    const { problems } = substitute({ mcpServers: { a: { env: { K: '${NOPE}' } } }, n: 1, toString: null }, sources)
    expect(problems).toEqual([
      {
        path: ['mcpServers', 'a', 'env', 'K'],
        message: 'the environment variable NOPE is not set; set it or write ${NOPE:-default}',
      },
    ])
  })

  it('does not take properties of Object for variables', () => {
    expect(substitute('${toString}', { variables: {} }).problems).toHaveLength(1)
  })

  it('names an input and a file without a value', () => {
    const { problems, missing } = substitute(['${input:key}', '${file:/run/none}'], sources)
    expect(missing).toEqual(['key', '/run/none'])
    expect(problems.map(({ message }) => message)).toEqual([
      'the input key has no value; add it to "inputs" of the server',
      'the file /run/none cannot be read',
    ])
  })

  it('takes values from the inputs of the same entry before the environment, literally', () => {
    const server = {
      args: ['${input:key}', '${TOKEN}', '${input:stage:-dev}'],
      inputs: { key: 'a${TOKEN}', TOKEN: 'mine' },
    }
    expect(substitute({ server, other: '${TOKEN}' }, sources).value).toEqual({
      server: { ...server, args: ['a${TOKEN}', 'mine', 'dev'] },
      other: 'secret',
    })
  })

  it('leaves out an entry whose optional variable is not set', () => {
    const texts = { a: 'x ${NOPE?}', b: '${TOKEN?}', c: ['${NOPE?}', 'kept'] }
    expect(substitute(texts, sources)).toEqual({ value: { b: 'secret', c: ['kept'] }, problems: [], missing: [] })
  })

  it('resolves nothing in an escaped text', () => {
    const text = 'a ${TOKEN} $${x} $TOKEN'
    expect(substitute(escapeReferences(text), sources).value).toBe(text)
  })

  it('does not substitute within substituted values', () => {
    expect(substitute('${A}', { variables: { A: '${TOKEN}' } }).value).toBe('${TOKEN}')
  })
})
