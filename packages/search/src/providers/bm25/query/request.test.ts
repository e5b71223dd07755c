import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { actionsOf } from '../../../text/actions.ts'
import { stem } from '../../../text/stem.ts'
import { readRequest, splitExclusion } from './request.ts'

describe('splitExclusion', () => {
  it.each([
    ['search movies, not tv shows', 'search movies', 'tv shows'],
    ['send a chat message but not slack', 'send a chat message', 'slack'],
    ['list issues except jira', 'list issues', 'jira'],
    ['trash email without permanently deleting it', 'trash email', 'permanently deleting it'],
    ['play music instead of podcasts', 'play music', 'podcasts'],
  ])('parts %j', (text, wanted, excluded) => expect(splitExclusion(text)).toEqual({ wanted, excluded }))

  it.each([
    'why does it not work',
    'not now',
    'no',
    'I do not know which of the many flights to Rome I should take with my kids',
    'without',
  ])('leaves %j whole', (text) => expect(splitExclusion(text)).toEqual({ wanted: text, excluded: '' }))

  it('answers any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        expect(typeof splitExclusion(text).wanted).toBe('string')
        expect(readRequest(text, text).actions).toBeTypeOf('number')
      }),
    )
  })
})

describe('readRequest', () => {
  const actionOf = (text: string): number => readRequest(text, '').actions
  const kinds = (verb: string): number => actionsOf(stem(verb), true)

  it.each([
    ['delete a form', 'delete'],
    ['please list all pods', 'list'],
    ['k8s get pods', 'get'],
    ['creating an invoice', 'create'],
    ['jira_update_issue', 'update'],
  ])('finds the verb of %j', (text, verb) => expect(actionOf(text)).toBe(kinds(verb)))

  it.each(['the build was red', 'announcement of the week', 'pod logs', ''])('finds none in %j', (text) =>
    expect(actionOf(text)).toBe(0),
  )

  it('reads what is turned into what', () => {
    const { direction } = readRequest('docker compose to docker run', '')
    expect(direction).toEqual({ from: new Set([stem('compose')]), to: new Set([stem('run')]) })
    expect(readRequest('convert pdf', '').direction).toBeUndefined()
  })

  it('keeps what is excluded and not wanted', () => {
    expect(readRequest('search movies', 'tv movies').excluded).toEqual(new Set([stem('tv')]))
  })

  it('reads nothing into a long text or one with several steps', () => {
    expect(actionOf('delete '.repeat(20))).toBe(0)
    expect(actionOf('delete it then create it')).toBe(0)
  })
})
