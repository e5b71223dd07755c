import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { testDatabase } from '../../../../../test/kit/test-database.ts'
import { createToken } from '../../access/tokens.ts'
import { fakeContext } from '../fake-gateway.case.ts'
import { runProgram } from '../program.ts'
import { useCommands } from '../use-commands.case.ts'
import { lanceEngines } from './lance-engines.ts'

const { folder, run } = useCommands()
const BODY = { query: ['read'], tools: [{ toolKey: 'a:read', toolName: 'read', serverName: 'a' }] }

/** Runs the service until the work is done. */
async function whileRunning(
  args: readonly string[],
  variables: Record<string, string>,
  work: (shown: Readonly<Record<'url' | 'ranking' | 'engine', string>> & { readonly token?: string }) => Promise<void>,
): Promise<number> {
  const kit = fakeContext(folder(), {}, variables)
  const ended = runProgram(['search-api', '--port', '0', '--json', ...args], kit.context)
  const early = ended.then((code) => {
    throw new Error(`ended with ${code}: ${kit.out()}${kit.err()}`)
  })
  const shown = (async () => {
    while (kit.out() === '') await new Promise((resolve) => setImmediate(resolve))
    return JSON.parse(kit.out())
  })()
  await work(await Promise.race([shown, early]))
  kit.askToStop()
  early.catch(() => {})
  return ended
}

async function search(url: string, token: string, more: object = {}): Promise<number> {
  const response = await fetch(`${url}/catalog/search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...BODY, ...more }),
  })
  await response.arrayBuffer()
  return response.status
}

describe('tooldex search-api', () => {
  it('[R32] serves searches with the token that it shows', async () => {
    const code = await whileRunning([], {}, async ({ url, token = '', ranking }) => {
      expect(ranking).toBe('hybrid')
      expect(await search(url, token, { projectId: 'any' })).toBe(200)
      expect(await search(url, 'tdx_wrong')).toBe(401)
    })
    expect(code).toBe(0)
  })

  it('accepts the tokens of a file, each for its project, and the one in the environment', async () => {
    const [work, all, environment] = [createToken(), createToken(), createToken().secret]
    const entries = [
      { name: 'work', sha256: work.hash, projects: ['work'] },
      { name: 'all', sha256: all.hash, expires: '2999-01-31' },
    ]
    writeFileSync(join(folder(), 'tokens.json'), JSON.stringify(entries))
    const variables = { TOOLDEX_SEARCH_API_TOKEN: environment }
    await whileRunning(['--tokens', 'tokens.json'], variables, async ({ url, token }) => {
      expect(token).toBeUndefined()
      expect(await search(url, work.secret, { projectId: 'work' })).toBe(200)
      expect(await search(url, work.secret, { projectId: 'home' })).toBe(403)
      for (const secret of [all.secret, environment]) expect(await search(url, secret, { projectId: 'home' })).toBe(200)
    })
  })

  it('shows the language model but not its key', async () => {
    const llm = ['--select', 'llm', '--llm-url', 'http://127.0.0.1:1/v1', '--llm-model', 'small']
    await whileRunning(llm, { TOOLDEX_LLM_API_KEY: 'sk-very-secret' }, async (shown) => {
      expect(shown.ranking).toBe('llm: small at 127.0.0.1:1')
      expect(JSON.stringify(shown)).not.toContain('sk-very-secret')
    })
  })

  it('shows the embedding model but not its key', async () => {
    const service = ['--embeddings-url', 'http://127.0.0.1:1/v1', '--embeddings-model', 'nomic']
    await whileRunning(service, { TOOLDEX_EMBEDDINGS_API_KEY: 'sk-very-secret' }, async (shown) => {
      expect(shown).toMatchObject({ meaning: 'nomic at 127.0.0.1:1' })
      expect(JSON.stringify(shown)).not.toContain('sk-very-secret')
    })
    await whileRunning([], {}, async (shown) => expect(shown).toMatchObject({ meaning: 'built-in table' }))
  })

  it('shows the settings for the gateway', async () => {
    const kit = fakeContext(folder())
    kit.askToStop()
    expect(await runProgram(['search-api', '--port', '0'], kit.context)).toBe(0)
    expect(kit.out()).toMatch(/url +http:\/\/127\.0\.0\.1:\d+\n/)
    expect(kit.out()).toMatch(/"searchApi":\{"url":"http:\/\/127\.0\.0\.1:\d+","token":"tdx_[\w-]+"\}/)
  })

  it.each([
    ['--select llm', '--select llm needs --llm-url and --llm-model'],
    ['--llm-model x', 'need --select llm'],
    ['--select llm --llm-url nonsense --llm-model x', 'must be an http:// or https:// address'],
    ['--embeddings http', '--embeddings http needs --embeddings-url and --embeddings-model'],
    ['--embeddings-url http://127.0.0.1:1/v1', '--embeddings http needs --embeddings-url and --embeddings-model'],
    ['--embeddings-url nonsense --embeddings-model x', '--embeddings-url must be an http:// or https:// address'],
    ['--embeddings static --embeddings-model x', '--embeddings-model has no effect unless provider is http'],
    ['--embeddings-dimensions 3', 'whole number'],
    ['--embeddings magic', 'magic'],
    ['--engine lance', '--engine lance needs --engine-at'],
    ['--engine-at catalogs', '--engine-at needs --engine lance'],
    ['--engine magic', 'magic'],
    ['--jwt-issuer me', 'must be used together'],
    ['--tokens none.json', 'cannot be read (ENOENT)'],
    ['--select magic', 'magic'],
    ['--port x', 'whole number'],
  ])('answers %s with exit code 2', async (line, problem) => {
    const { code, err } = await run(`search-api --port 0 ${line}`)
    expect(code).toBe(2)
    expect(err()).toContain(problem)
  })

  it('names the invalid entries of a file', async () => {
    const entries = [
      { name: 'a', sha256: 'short' },
      { name: 'b', sha256: 'ab'.repeat(32), projects: ['x', 'y'] },
    ]
    writeFileSync(join(folder(), 'tokens.json'), JSON.stringify(entries))
    const { code, err } = await run('search-api --tokens tokens.json')
    expect(code).toBe(2)
    expect(err()).toContain('[0].sha256: must be 64 hexadecimal digits')
    expect(err()).toContain('[1].projects: must name one project')
  })
})

describe('tooldex search-api --engine lance', () => {
  const LINES = Array.from({ length: 5_200 }, (_, nth) =>
    JSON.stringify({
      toolKey: `s${nth % 40}:paint_${nth}`,
      toolName: `paint_${nth}`,
      serverName: `s${nth % 40}`,
      description: `Paints picture ${nth}.`,
    }),
  ).join('\n')
  const hash = createHash('sha256').update(LINES).digest('hex')
  const secret = 'tdx_a-long-secret-for-tests'
  const headers = { authorization: `Bearer ${secret}` }

  it('[R31] serves one catalog from one folder by several instances', async () => {
    const database = await testDatabase()
    onTestFinished(() => database.drop())
    const variables = { TOOLDEX_SEARCH_API_TOKEN: secret, TOOLDEX_SEARCH_API_DATABASE: database.url }
    const args = ['--engine', 'lance', '--engine-at', 'catalogs']
    const answer = async (url: string, rule: object) => {
      const body = JSON.stringify({ query: 'paint_77', rule })
      const json = { ...headers, 'content-type': 'application/json' }
      const response = await fetch(`${url}/v1/catalogs/${hash}/search`, { method: 'POST', headers: json, body })
      expect(response.status).toBe(200)
      return (await response.json()) as { results: { toolKey: string }[]; degraded?: unknown }
    }
    await whileRunning(args, variables, async ({ url: one, engine }) => {
      expect(engine).toBe(`lance at ${join(folder(), 'catalogs')}`)
      const type = { 'content-type': 'application/x-ndjson' }
      const put = { method: 'PUT', headers: { ...headers, ...type }, body: LINES }
      expect((await fetch(`${one}/v1/catalogs/${hash}`, put)).status).toBe(201)
      await whileRunning(args, variables, async ({ url: other }) => {
        for (const url of [one, other]) {
          const isDone = async () => (await answer(url, { except: ['s37:paint_77'] })).degraded === undefined
          await expect.poll(isDone, { timeout: 60_000, interval: 200 }).toBe(true)
          expect((await answer(url, { except: ['s0:paint_0'] })).results[0]?.toolKey).toBe('s37:paint_77')
          const { results } = await answer(url, { except: ['s37:paint_77'] })
          expect(results.map(({ toolKey }) => toolKey)).not.toContain('s37:paint_77')
        }
      })
    })
    expect(readdirSync(join(folder(), 'catalogs'))).toEqual([expect.stringMatching(`^${hash}-[0-9a-f]{8}$`)])
  }, 120_000)

  it('deletes catalogs that no instance has used for eight days, and nothing else', async () => {
    const at = join(folder(), 'old')
    const [unused, used, recent] = ['a', 'b', 'c'].map((letter) => `${letter.repeat(64)}-01234567`)
    const now = Date.parse('2026-11-18')
    for (const [name, days] of [
      [unused, 9],
      [used, 9],
      [recent, 7],
      ['photos', 99],
    ] as const) {
      mkdirSync(join(at, name ?? ''), { recursive: true })
      utimesSync(join(at, name ?? ''), 0, now / 1_000 - days * 86_400)
    }
    const engines = lanceEngines({ at, log: { warn: () => {} }, alone: undefined, now: () => now })
    await engines.tidy?.([used ?? '', 'not there'])
    expect(readdirSync(at).toSorted()).toEqual([used, recent, 'photos'])
    await lanceEngines({ ...{ at: join(at, 'none'), alone: undefined }, log: { warn: () => {} } }).tidy?.([])
  })
})
