import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eligibleTools } from '../access/eligible-tools.ts'
import { CatalogIndex } from '../catalog/search-index/catalog-index.ts'
import { principalOf, projectOf, type ServerSketch, serverOf, snapshotOf } from '../catalog/snapshot.case.ts'
import { dialectNamed } from '../dialects/dialects.ts'
import { resolveSettings } from '../exposure/resolve-settings.ts'
import { exposedNames } from '../access/exposed-names.ts'
import type { AuditEntry } from '../model/audit.ts'
import type { Principal } from '../model/principal.ts'
import { answerSearch } from '../clients/mcp/requests/answer-search.ts'
import type { SearchOutcome } from './search-outcome.ts'
import { ToolSearch } from './tool-search.ts'

const CHARACTERS_PER_TOKEN = 4
const STATES = ['running', 'idle', 'starting', 'stopped', 'failed', 'needs-login', 'held'] as const

interface World {
  readonly servers: readonly ServerSketch[]
  /** The servers of the project; all if absent. */
  readonly inProject?: readonly string[]
  readonly principal?: Partial<Principal>
}

function searching({ servers, inProject = servers.map(({ id }) => id), principal = {} }: World) {
  const index = new CatalogIndex()
  for (const server of servers) index.put(serverOf(server))
  const entries: AuditEntry[] = []
  const audit = { record: (entry: AuditEntry) => void entries.push(entry) }
  const search = new ToolSearch({ provider: (strategy) => index.provider(strategy), audit, now: () => 0 })
  const project = projectOf('p', inProject)
  const eligible = eligibleTools(principalOf(principal), project, new Map(), snapshotOf(servers))
  const ids = { requestId: 'r', tokenId: 't', projectId: 'p', endpointId: 'e', from: { transport: 'stdio' } as const }
  const context = { ...ids, signal: new AbortController().signal }
  const run = (query: string, threshold = 0): Promise<SearchOutcome> =>
    search.search(
      eligible,
      resolveSettings({ strategy: 'bm25', searchThreshold: threshold }, {}),
      { queries: [query], maxResults: 10, explain: false, whenBlank: 'nothing', detail: 'summary' },
      context,
    )
  const answer = (dialectName: 'router' | 'mcproxy' | 'metamcp', query: string) => {
    const dialect = dialectNamed(dialectName)
    const settings = resolveSettings({ strategy: 'bm25', dialect: dialectName }, {})
    const rules = { separator: dialect.separator, dropPrefix: false, reserved: new Set<string>() }
    const names = () => exposedNames(eligible, rules)
    const parts = { dialect, eligible, settings, names, context, listGrows: false, mode: 'meta-tools' } as const
    return answerSearch(search, { ...parts, input: { query } })
  }
  return { run, answer, entries }
}

const textsOf = ({ notices }: SearchOutcome): readonly string[] => notices.map(({ text }) => text)
const mend = { name: 'mend_teapot', description: 'Mend a broken teapot' }
const other = { id: 'garden', tools: [{ name: 'mow_lawn', description: 'Mow the lawn' }] }

describe('the notices of a search', () => {
  it.each([
    ['stopped', 'Stopped: kitchen. An administrator can start it.'],
    ['failed', 'Failed: kitchen. Try later, or ask an administrator.'],
    ['needs-login', 'A login is missing: kitchen. Ask an administrator to log in.'],
    ['held', 'Held for approval: kitchen. An administrator can review the change.'],
  ] as const)('[R16] name the server that has the tool and is %s', async (state, text) => {
    const { run, entries } = searching({ servers: [{ id: 'kitchen', state, tools: [mend] }, other] })
    const outcome = await run('mend a teapot')
    expect(outcome).toMatchObject({ found: [], verdict: 'none' })
    expect(textsOf(outcome)).toContain(text)
    expect(entries[0]).toMatchObject({ outcome: 'ok', notices: outcome.notices.map(({ code }) => code) })
  })

  it('[R16] name servers that are starting, and those whose tools are unknown', async () => {
    const slow = { id: 'slow', state: 'starting', awaitedSince: 1 } as const
    const broken = { id: 'broken', state: 'running', toolsUnknown: 'it refuses to list them' } as const
    expect(textsOf(await searching({ servers: [slow, broken] }).run('mend'))).toEqual([
      'Still starting: slow. Search again in a few seconds.',
      'Failed: broken. Try later, or ask an administrator.',
    ])
  })

  it('[R16] name a server whose tool is held for approval, to callers who could use it', async () => {
    const servers: ServerSketch[] = [{ id: 'kitchen', tools: [mend], held: [mend.name] }, other]
    const notice = 'Has tools held for approval: kitchen. An administrator can review them.'
    expect(textsOf(await searching({ servers }).run('mend a teapot'))).toContain(notice)
    expect(textsOf(await searching({ servers: servers.slice(0, 1) }).run('mend a teapot'))).toEqual([notice])
    const readOnly = await searching({ servers, principal: { readOnly: true } }).run('mend a teapot')
    expect(textsOf(readOnly)).toEqual(['The servers here have no tools that you may use.'])
    expect(textsOf(await searching({ servers }).run('mow_lawn'))).toEqual([])
  })

  it('mention a server that an administrator stopped only if no tool was found', async () => {
    const servers: ServerSketch[] = [
      { id: 'kitchen', tools: [mend, { name: 'other_thing', description: 'Paint a fence' }] },
      { id: 'cellar', state: 'stopped', tools: [mend] },
    ]
    const { run } = searching({ servers })
    expect(await run('mend_teapot')).toMatchObject({ verdict: 'found', notices: [] })
    expect(textsOf(await run('bake bread'))).toContain('Stopped: cellar. An administrator can start it.')
  })

  it('say that the project is empty, or has no tools for this caller', async () => {
    expect(textsOf(await searching({ servers: [] }).run('x'))).toEqual([
      'There are no servers here that you may use. An administrator can add some.',
    ])
    const beyond = searching({ servers: [other], principal: { servers: new Set() } })
    expect(textsOf(await beyond.run('x'))).toEqual([
      'There are no servers here that you may use. An administrator can add some.',
    ])
    const readOnly = searching({ servers: [other], principal: { readOnly: true } })
    expect(textsOf(await readOnly.run('mow the lawn'))).toEqual(['The servers here have no tools that you may use.'])
  })

  it('[U12] say that nothing fits and what is nearest, or that the threshold left all hits out', async () => {
    const { run } = searching({ servers: [other] })
    expect(textsOf(await run('xyzzy'))).toEqual(['No tool seems to do this.'])
    expect(textsOf(await run('mow lawn', 1.1))).toEqual([
      'All hits are below the relevance threshold; the nearest is garden:mow_lawn.',
    ])
  })

  it('say that a query is blank', async () => {
    expect(textsOf(await searching({ servers: [other] }).run(' '))).toEqual([
      'The query is blank. Write what the tool should do.',
    ])
  })

  const sketch = fc.record({
    name: fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }),
    state: fc.constantFrom(...STATES),
    isAwaited: fc.boolean(),
    isUnknown: fc.boolean(),
    held: fc.subarray([mend.name]),
    tools: fc.subarray([mend, { name: 'boil_water', description: 'Boil water in a kettle' }]),
  })
  const world = fc.record({
    sketches: fc.array(sketch, { maxLength: 25 }),
    inProject: fc.array(fc.nat(24), { maxLength: 25 }),
    mine: fc.option(fc.array(fc.nat(24), { maxLength: 25 })),
    readOnly: fc.boolean(),
    query: fc.constantFrom('mend a teapot', 'xyzzy', '', 'boil'),
    threshold: fc.constantFrom(0, 0.5, 1),
  })

  it('[R16] [R24] explain every empty answer, in three short sentences at most, and name no server beyond the boundary', async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ sketches, inProject, mine, readOnly, query, threshold }) => {
        const servers = sketches.map(({ isAwaited, isUnknown, name, ...rest }, at) => {
          const isComing = rest.state === 'starting' && isAwaited
          return {
            ...rest,
            id: `s${at}`,
            // A mark of its own makes each name recognisable in a text.
            name: `[${at}]${name}`,
            ...(isComing ? { awaitedSince: 1, tools: [] } : {}),
            ...(rest.state === 'running' && isUnknown ? { toolsUnknown: 'no list', tools: [] } : {}),
          }
        })
        const principal = { readOnly, ...(mine !== null && { servers: new Set(mine.map((at) => `s${at}`)) }) }
        const project = inProject.map((at) => `s${at}`)
        const { run, answer } = searching({ servers, inProject: project, principal })
        const outcome = await run(query, threshold)
        const texts = textsOf(outcome)
        if (outcome.state === 'off' || outcome.found.length === 0) expect(texts).not.toEqual([])
        expect(texts.length).toBeLessThanOrEqual(3)
        for (const text of texts) expect(text.length / CHARACTERS_PER_TOKEN).toBeLessThanOrEqual(25)
        const isMine = (id: string): boolean => project.includes(id) && (principal.servers?.has(id) ?? true)
        for (const { id, name } of servers) {
          const mark = name.slice(0, name.indexOf(']') + 1)
          if (!isMine(id)) expect(texts.join(' ')).not.toContain(mark)
        }
        for (const dialect of ['router', 'mcproxy', 'metamcp'] as const) {
          const { result, found } = await answer(dialect, query)
          const { notice } = result['structuredContent'] as { notice?: string }
          if (found.length === 0) expect(notice ?? '').not.toBe('')
        }
      }),
      { numRuns: 200 },
    )
  })
})
