import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashToken } from '../access/tokens.ts'
import { openConfiguredStore } from '../commands/gateway/open-store.ts'
import { modelOf } from '../config/load-config.ts'
import { prepareDemo } from './prepare-demo.ts'
import { sampleAnswer } from './sample-answer.ts'
import { sampleServers } from './sample-catalog.ts'

describe('the sample catalog', () => {
  it('has enough to search', () => {
    expect(sampleServers().length).toBeGreaterThan(10)
    expect(sampleServers().flatMap(({ tools }) => tools).length).toBeGreaterThan(150)
  })
})

describe('sampleAnswer', () => {
  const tools = new Map(
    sampleServers().flatMap(({ name, tools: own }) =>
      own.map((tool): [string, typeof tool] => [`${name}:${tool.name}`, tool]),
    ),
  )
  const answer = (key: string, args: Record<string, unknown>) => {
    const tool = tools.get(key)
    if (tool === undefined) throw new Error(`no ${key}`)
    return sampleAnswer(tool, args)
  }

  it('gives the same answer to the same call, and another one to others', () => {
    const ask = (title: string) => answer('tasklane:create_issue', { project: 'WEB', title })
    expect(ask('Broken link')).toEqual(ask('Broken link'))
    expect(ask('Broken link')).not.toEqual(ask('Slow page'))
    expect(ask('Broken link').structuredContent).toMatchObject({
      id: expect.stringMatching(/^S-\d{4}$/),
      title: 'Broken link',
      project: 'WEB',
    })
  })

  it('respects the limit of a list', () => {
    expect(answer('tasklane:list_issues', { project: 'WEB', limit: 2 }).structuredContent).toMatchObject({
      items: [{}, {}],
      total: 2,
    })
  })

  it.each([
    ['tasklane:create_issue', { project: 'WEB' }, 'title is required'],
    ['tasklane:create_issue', { project: 'WEB', title: 7 }, 'title must be of type string'],
    [
      'tasklane:create_issue',
      { project: 'WEB', title: 'x', priority: 'huge' },
      'priority must be one of lowest, low, medium, high, blocker',
    ],
    ['tasklane:get_issue', { issue_key: 'WEB-missing' }, 'there is no issue_key "WEB-missing"'],
    ['tasklane:update_issue', { issue_key: 'WEB-1', due_date: 'someday' }, 'due_date is not a date'],
  ])('rejects invalid arguments: %s %j', (key, args, text) => {
    expect(answer(key, args)).toEqual({ isError: true, content: [{ type: 'text', text }] })
  })

  it('has an answer for every tool', () => {
    for (const tool of tools.values()) expect(sampleAnswer(tool, {}).content[0]?.text).not.toBe('')
  })
})

describe('the sample server', () => {
  const client = new Client({ name: 'test', version: '1' })
  beforeAll(async () => {
    const script = fileURLToPath(new URL('sample-server.ts', import.meta.url))
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [script, 'tasklane'] }))
  })
  afterAll(() => client.close())

  it('lists the tools of its service and has instructions', async () => {
    const { tools } = await client.listTools()
    expect(tools).toEqual(sampleServers().find(({ name }) => name === 'tasklane')?.tools)
    expect(client.getInstructions()).toContain('issues')
    expect(client.getServerVersion()?.name).toBe('tasklane')
  })

  it('answers calls, rejects unknown tools and methods, and keeps running', async () => {
    expect(await client.callTool({ name: 'create_issue', arguments: { project: 'WEB', title: 'x' } })).toMatchObject({
      structuredContent: { project: 'WEB' },
    })
    await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({ code: -32602 })
    await expect(client.listPrompts()).rejects.toThrow('prompts')
    expect(await client.ping()).toEqual({})
  })
})

describe('prepareDemo', () => {
  const variables = { TOOLDEX_DATABASE_URL: 'postgres://the.team/database' }
  const environment = { variables, cwd: tmpdir(), home: tmpdir() }
  const filled = async ({ loaded, fill }: Awaited<ReturnType<typeof prepareDemo>>) => {
    const terminal = {
      out: () => {},
      err: () => {},
      draw: () => {},
      width: 80,
      colours: false,
      isScreen: false,
      interactive: false,
    }
    const store = await openConfiguredStore(loaded.config, { environment, terminal })
    return { store, secret: await fill(store, 1) }
  }

  it('creates everything in a temporary folder and removes it', async () => {
    const demo = await prepareDemo({ port: 0 }, environment)
    const { config } = demo.loaded
    const { store, secret } = await filled(demo)
    const { model } = modelOf(demo.loaded, store.current())
    expect(config.dataDir.startsWith(tmpdir())).toBe(true)
    expect(config.database).toBeUndefined()
    expect(readFileSync(join(config.dataDir, 'sample-files', 'readme.md'), 'utf8')).toContain('Sample folder')
    expect(model.servers.filter(({ start }) => start === 'eager').map(({ id }) => id)).toEqual([
      ...['filesystem', 'memory', 'everything', 'sequential-thinking'],
    ])
    expect(model.servers.filter(({ start }) => start === 'on-demand')).toHaveLength(sampleServers().length)
    expect(model.projects.get('default')).toMatchObject({ name: 'demo', disclosure: { exposure: 'meta-tools' } })
    expect(model.tokens.get(hashToken(secret))).toMatchObject({ tokenId: 'demo', name: 'demo' })
    expect(demo.notes).toEqual([])
    await store.close()
    await demo.remove()
    expect(existsSync(config.dataDir)).toBe(false)
  })

  it('stores the lists of the samples in advance, and does not remove a given folder', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tooldex-demo-test-'))
    try {
      const demo = await prepareDemo({ port: 0, dataDir }, environment)
      const { store } = await filled(demo)
      const kept = await store.lastGood.load('podyard')
      expect(kept?.lists.tools.map(({ name }) => name)).toContain('rollbackDeployment')
      await store.close()
      await demo.remove()
      expect(existsSync(demo.configFile)).toBe(true)
    } finally {
      rmSync(dataDir, { recursive: true })
    }
  })

  it('keeps what was changed in an earlier demo, with a new secret', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tooldex-demo-test-'))
    try {
      const first = await filled(await prepareDemo({ port: 0, dataDir }, environment))
      await first.store.change((changes) => changes.removeServer('podyard'))
      await first.store.close()
      const { store, secret } = await filled(await prepareDemo({ port: 0, dataDir }, environment))
      expect(store.current().servers.map(({ id }) => id)).not.toContain('podyard')
      expect([...store.current().tokens]).toMatchObject([{ name: 'demo', hash: hashToken(secret) }])
      expect(secret).not.toBe(first.secret)
      await store.close()
    } finally {
      rmSync(dataDir, { recursive: true })
    }
  })
})
