import { type CatalogTool, searchApiAnswerSchema } from '@tooldex/contract/search-api'
import { ToolSearchError } from '@tooldex/search'
import type { AnalysedTool, CatalogEngine } from '@tooldex/search/engine'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Script, ScriptedEngine } from '../../../search/src/engine/scripted-engine.case.ts'
import { apiWith, catalogOf, post, search, tool, upload } from '../ask.case.ts'
import type { CatalogEngines, SearchApiOptions } from '../options.ts'
import type { SearchApi } from '../search-api.ts'

const VERBS = ['create', 'delete', 'list', 'send', 'translate', 'archive', 'paint']
const NOUNS = ['invoice', 'branch', 'mail', 'folder', 'ticket', 'picture', 'contract', 'calendar', 'bridge', 'song']
/** More than are narrow here, and more than are ranked. */
const TOOLS = Array.from({ length: 340 }, (_, nth): CatalogTool => {
  const [verb, noun] = [VERBS[nth % 7], NOUNS[nth % 10]]
  return {
    ...tool(`s${nth % 13}:${verb}_${noun}_${nth}`, `Will ${verb} one ${noun}.`),
    ...(nth % 3 === 0 && { traits: { readOnly: true as const } }),
  }
})
const CATALOG = catalogOf(TOOLS)
const NARROW = { servers: ['s1', 's2'] }
const WIDE = { except: [TOOLS[18]?.toolKey] }
const forever = new Promise<never>(() => {})

/** Engines by name, as a folder has them: they outlive the instances that open them. */
class FakeFolder implements CatalogEngines {
  readonly stored = new Map<string, ScriptedEngine>()
  readonly opened: string[] = []
  readonly tidied: (readonly string[])[] = []
  readonly narrowTools = 60
  readonly retryMs = 5
  readonly patienceMs = 200
  readonly script: Script = {}
  readonly mostInMemory: number
  /** Throws from every opening. */
  locked: string | undefined
  #isWriting = false

  constructor(mostInMemory = 100_000) {
    this.mostInMemory = mostInMemory
  }

  readonly alone: NonNullable<CatalogEngines['alone']> = async (_, work) => {
    if (this.#isWriting) return false
    this.#isWriting = true
    try {
      await work(new AbortController().signal)
      return true
    } finally {
      this.#isWriting = false
    }
  }

  async open({ name, role, repair }: Parameters<CatalogEngines['open']>[0]): Promise<CatalogEngine> {
    this.opened.push(repair === true ? `${role}, to repair` : role)
    if (this.locked !== undefined) throw new Error(this.locked)
    const engine = this.stored.get(name) ?? new ScriptedEngine(this.script)
    this.stored.set(name, engine)
    return engine
  }

  async tidy(inUse: readonly string[]): Promise<void> {
    this.tidied.push(inUse)
  }

  get engine(): ScriptedEngine {
    return [...this.stored.values()][0] as ScriptedEngine
  }
}

let problems: string[] = []
const apis: SearchApi[] = []
beforeEach(() => {
  problems = []
})
afterEach(async () => {
  await Promise.all(apis.splice(0).map((api) => api.close()))
})

function start(engine: CatalogEngines, more: SearchApiOptions = {}): SearchApi {
  const onProblem = (error: unknown): void => void problems.push(String(error))
  const api = apiWith({ engine, onProblem, cache: { answerMs: 0 }, ...more })
  apis.push(api)
  return api
}

const ask = (api: SearchApi, rule: object, query = 'paint a picture', more: object = {}) =>
  post(api, { query, rule, ...more }, { path: `/v1/catalogs/${CATALOG.hash}/search` })
const answerOf = async (...given: Parameters<typeof ask>) => {
  const reply = await ask(...given)
  expect(reply.status).toBe(200)
  return searchApiAnswerSchema.parse(reply.body)
}
const indexed = async (api: SearchApi): Promise<unknown> => {
  const { body } = await post(api, undefined, { method: 'GET', path: `/catalogs/${CATALOG.hash}` })
  return (body as { indexed?: unknown }).indexed
}
const written = async (api: SearchApi): Promise<void> => {
  await expect.poll(() => indexed(api)).toBe(TOOLS.length)
}
const settled = async (folder: FakeFolder): Promise<void> => {
  await expect.poll(() => folder.engine.revision()).toBe(TOOLS.length + 1)
}

async function uploaded(folder: FakeFolder): Promise<SearchApi> {
  const api = start(folder)
  expect((await upload(api, CATALOG)).status).toBe(201)
  await written(api)
  await settled(folder)
  return api
}

describe('an uploaded catalog on an engine', () => {
  it('[R31] is written once, asks the engine for wide rules only, and answers narrow ones exactly', async () => {
    const folder = new FakeFolder()
    const api = await uploaded(folder)
    const { engine } = folder
    expect(engine.deltas.flatMap(({ put }) => put.map(({ id }) => id)).toSorted()).toEqual(
      TOOLS.map(({ toolKey }) => toolKey).toSorted(),
    )
    const narrow = await answerOf(api, NARROW)
    expect(engine.asked).toBe(0)
    const tools = TOOLS.filter(({ serverName }) => NARROW.servers.includes(serverName))
    expect(narrow).toEqual(await search(api, { query: 'paint a picture', tools }))
    const wide = await answerOf(api, WIDE, TOOLS[20]?.toolName)
    expect(engine.asked).toBeGreaterThan(0)
    expect(wide).toMatchObject({ answeredBy: 'hybrid' })
    expect(wide.results[0]?.toolKey).toBe(TOOLS[20]?.toolKey)
    expect(wide.degraded).toBeUndefined()
    const { results } = await answerOf(api, WIDE, TOOLS[18]?.toolName)
    expect(results.map(({ toolKey }) => toolKey)).not.toContain(TOOLS[18]?.toolKey)
    expect(problems).toEqual([])
  })

  it('leaves small catalogs and the tools of requests in memory', async () => {
    const folder = new FakeFolder()
    const api = start(folder)
    const small = catalogOf(TOOLS.slice(0, 60))
    await upload(api, small)
    const path = `/v1/catalogs/${small.hash}/search`
    const inline = await search(api, { query: 'paint a picture', tools: TOOLS.slice(0, 60) })
    expect((await post(api, { query: 'paint a picture' }, { path })).body).toEqual(inline)
    expect((await search(api, { query: 'paint a picture', tools: TOOLS })).degraded).toBeUndefined()
    expect(folder.opened).toEqual([])
  })

  it('shows nothing outside the rule, whatever the rule is and however the engine lies', async () => {
    const folder = new FakeFolder()
    const api = await uploaded(folder)
    const every = (await folder.engine.scope({ tenant: '', servers: 'all', except: [] }, 1e9)) ?? []
    const rules = fc.record({
      servers: fc.oneof(fc.constant('all' as const), fc.subarray(['s0', 's1', 's2', 's3', 's4', 's5', 's6', 'none'])),
      except: fc.subarray(TOOLS.slice(0, 40).map(({ toolKey }) => toolKey)),
      traits: fc.constantFrom({}, { readOnly: true as const }, { notDestructive: true as const }),
    })
    const lies = fc.record({
      picked: fc.array(fc.nat(every.length - 1), { maxLength: 30 }),
      server: fc.constantFrom(undefined, '=s0', 's0', 'nowhere'),
      traits: fc.constantFrom(undefined, 0, 3),
      id: fc.constantFrom(undefined, 'no:such', TOOLS[3]?.toolKey),
    })
    await fc.assert(
      fc.asyncProperty(rules, lies, async (rule, lie) => {
        folder.script.lie = (candidates) => ({
          ...candidates,
          tools: lie.picked.map((at) => {
            const one = every[at] as AnalysedTool
            const { id = one.id, server = one.server, traits = one.traits } = lie
            return { ...one, id, server, traits }
          }),
        })
        for (const { toolKey } of (await answerOf(api, rule)).results) {
          const shown = TOOLS.find((one) => one.toolKey === toolKey)
          expect(rule.servers === 'all' || rule.servers.includes(shown?.serverName ?? '')).toBe(true)
          expect(rule.except).not.toContain(toolKey)
          if (Object.keys(rule.traits).length > 0) expect(shown?.traits).toEqual({ readOnly: true })
        }
      }),
      { numRuns: 60 },
    )
  })

  it('is tidied up after when the service starts', async () => {
    const folder = new FakeFolder()
    start(folder)
    expect(folder.tidied).toEqual([[]])
  })
})

describe('several instances on one folder', () => {
  it('write a catalog once, and all of them search it', async () => {
    const folder = new FakeFolder()
    const instances = [start(folder), start(folder), start(folder)]
    for (const api of instances) expect((await upload(api, CATALOG)).status).toBe(201)
    for (const api of instances) await written(api)
    await settled(folder)
    expect(folder.engine.deltas.map(({ put }) => put.length)).toEqual([TOOLS.length, 0])
    const answers = await Promise.all(instances.map((api) => answerOf(api, WIDE)))
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(answers[0]?.degraded).toBeUndefined()
  })

  it('go on where one that stopped writing left off', async () => {
    const folder = new FakeFolder()
    folder.script.full = 'no space left on device'
    const first = start(folder)
    await upload(first, CATALOG)
    await expect.poll(() => problems).toEqual(['Error: no space left on device'])
    await first.close()
    delete folder.script.full
    const second = start(folder)
    await upload(second, CATALOG)
    await written(second)
    await settled(folder)
    expect((await answerOf(second, WIDE)).degraded).toBeUndefined()
    expect(problems).toHaveLength(1)
  })
})

describe('an engine of the Search API that misbehaves', () => {
  it.each<[string, Script, RegExp]>([
    ['is away', { away: 'connection refused' }, /connection refused/],
    ['is slow', { lie: () => forever }, /took longer than 200 ms/],
    [
      'answers statistics that make no sense',
      {
        lie: ({ statistics, ...rest }) => ({
          ...rest,
          statistics: { ...statistics, words: { ...statistics.words, averageLength: Number.NaN } },
        }),
      },
      /make no sense/,
    ],
  ])('and %s lets the memory answer, with the reason, until it answers again', async (_, script, reason) => {
    const folder = new FakeFolder()
    const api = await uploaded(folder)
    Object.assign(folder.script, script)
    const { degraded, ...rest } = await answerOf(api, WIDE)
    expect(degraded).toMatchObject({ strategy: 'hybrid', reason: expect.stringMatching(reason) as string })
    const tools = TOOLS.filter(({ toolKey }) => !WIDE.except.includes(toolKey))
    expect(rest).toEqual(await search(api, { query: 'paint a picture', tools }))
    for (const key of Object.keys(script)) delete folder.script[key as keyof Script]
    expect((await answerOf(api, WIDE)).degraded).toBeUndefined()
  })

  it('and is behind lets the memory answer, and is written again where it lost its tools', async () => {
    const folder = new FakeFolder()
    const api = await uploaded(folder)
    const { engine } = folder
    Object.assign(engine, { inner: new ScriptedEngine().inner })
    expect((await answerOf(api, WIDE)).degraded?.reason).toMatch(/does not answer/)
    await settled(folder)
    expect((await answerOf(api, WIDE)).degraded).toBeUndefined()
  })

  it('and fails at what it stored is repaired once', async () => {
    const folder = new FakeFolder()
    const api = await uploaded(folder)
    const reason = 'LanceDB at /x: buffer underflow'
    folder.script.away = new ToolSearchError('SEARCH_UNAVAILABLE', { problem: 'failed', reason, remedy: 'Check /x' })
    const repairs = (): number => folder.opened.filter((role) => role === 'writer, to repair').length
    for (let nth = 0; nth < 3; nth++) {
      expect((await answerOf(api, WIDE)).degraded?.reason).toMatch(/buffer underflow. Check \/x/)
      await expect.poll(repairs).toBe(1)
    }
    await written(api)
    delete folder.script.away
    expect((await answerOf(api, WIDE)).degraded).toBeUndefined()
    expect(problems).toEqual([])
  })

  it('and is away leaves wide rules without answer where the memory does not hold the catalog', async () => {
    const folder = new FakeFolder(100)
    const api = await uploaded(folder)
    folder.script.away = 'connection refused'
    const reply = await ask(api, WIDE)
    expect(reply).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } })
    expect(JSON.stringify(reply.body)).toContain('connection refused')
    expect((await answerOf(api, NARROW)).results.length).toBeGreaterThan(0)
  })

  it('and cannot be opened is reported once, tried again, and then used', async () => {
    const folder = new FakeFolder()
    folder.locked = 'the folder /nowhere cannot be written'
    const api = start(folder)
    await upload(api, CATALOG)
    expect((await answerOf(api, WIDE)).degraded?.reason).toMatch(/\/nowhere cannot be written/)
    await expect.poll(() => folder.opened.length).toBeGreaterThan(8)
    expect(problems).toEqual(['Error: the folder /nowhere cannot be written'])
    folder.locked = undefined
    await written(api)
    await settled(folder)
    expect((await answerOf(api, WIDE)).degraded).toBeUndefined()
  })
})
