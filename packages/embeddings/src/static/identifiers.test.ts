import { expect, it } from 'vitest'
import { splitIdentifiers } from './text-pieces.ts'

it.each([
  ['listPullRequests of a repo', 'list Pull Requests of a repo'],
  ['CreatePullRequest', 'Create Pull Request'],
  ['parseHTTPServer', 'parse HTTP Server'],
  ['getURLs and APIs', 'get URLs and APIs'],
  ['GitHub, YouTube and PayPal', 'GitHub, YouTube and PayPal'],
  ['create_issue', 'create_issue'],
  ['get_userById', 'get_user By Id'],
  ['nothing to do', 'nothing to do'],
  ['', ''],
])('writes %j as %j', (text, expected) => {
  expect(splitIdentifiers(text)).toBe(expected)
})
