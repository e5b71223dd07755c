import { describe, expect, it } from 'vitest'
import { splitIdentifier } from './split-identifier.ts'

describe('splitIdentifier', () => {
  it.each([
    ['createPullRequest', ['create', 'Pull', 'Request']],
    ['create_pull-request', ['create', 'pull', 'request']],
    ['HTTPServer2', ['HTTP', 'Server', '2']],
    ['users.list', ['users', 'list']],
    ['ＡＰＩ_key', ['API', 'key']],
    ['', []],
    ['___', []],
  ])('splits %s', (identifier, parts) => {
    expect(splitIdentifier(identifier)).toEqual(parts)
  })
})
