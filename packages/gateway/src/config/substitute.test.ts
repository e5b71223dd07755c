import { describe, expect, it } from 'vitest'
import { substitute } from './substitute.ts'

const variables = { TOKEN: 'secret', EMPTY: '', constructor: 'own' }

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
  ])('makes of %s', (text, expected) => {
    expect(substitute({ a: [text] }, variables)).toEqual({ value: { a: [expected] }, problems: [] })
  })

  it('names the key and the variable that is missing', () => {
    const { problems } = substitute({ mcpServers: { a: { env: { K: '${NOPE}' } } }, n: 1, toString: null }, variables)
    expect(problems).toEqual([
      {
        path: ['mcpServers', 'a', 'env', 'K'],
        message: 'the environment variable NOPE is not set; set it or write ${NOPE:-default}',
      },
    ])
  })

  it('does not take properties of Object for variables', () => {
    expect(substitute('${toString}', {}).problems).toHaveLength(1)
  })

  it('refuses input variables', () => {
    expect(substitute('${input:key}', {}).problems[0]?.message).toContain('the input key')
  })

  it('does not substitute within substituted values', () => {
    expect(substitute('${A}', { A: '${TOKEN}' }).value).toBe('${TOKEN}')
  })
})
