import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withServerNames } from './server-names.ts'

const SERVERS = [
  { id: 'beta', name: 'Beta Tools' },
  { id: 'alpha', name: 'Alpha' },
  { id: 'odd', name: 'a "quoted" name' },
]

describe('withServerNames', () => {
  it.each([
    ['server:beta', '(server:beta OR server:"Beta Tools")'],
    ['SERVER:Beta read file', '(SERVER:Beta OR server:"Beta Tools") read file'],
    ['namespace:"beta" AND NOT name:x', '(namespace:"beta" OR server:"Beta Tools") AND NOT name:x'],
    ['(server:beta OR server:alpha)', '((server:beta OR server:"Beta Tools") OR server:alpha)'],
    ['server:odd', '(server:odd OR server:"a  quoted  name")'],
  ])('lets %s find the server by its id', (query, expected) => {
    expect(withServerNames(query, SERVERS)).toBe(expected)
  })

  it.each([
    'read beta',
    'server:alpha',
    'server:gamma',
    'server:',
    'server: beta',
    '"server:beta"',
    'webserver:beta',
    '',
  ])('leaves %j alone', (query) => {
    expect(withServerNames(query, SERVERS)).toBe(query)
  })

  it('changes no query without the field, and never fails', () => {
    fc.assert(
      fc.property(fc.string(), (query) => {
        const isNamed = /(server|namespace):/i.test(query)
        expect(withServerNames(query, SERVERS) === query || isNamed).toBe(true)
      }),
    )
  })
})
