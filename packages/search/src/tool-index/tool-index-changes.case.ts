import { describe, expect, it } from 'vitest'
import { Bm25Provider } from '../providers/bm25/bm25-provider.ts'
import { LexicalProvider } from '../providers/lexical/lexical-provider.ts'
import { openRecorded, RecordingProvider } from './recording-provider.case.ts'
import type { Tool } from '../tool/tool.ts'
import type { ToolBackend } from '../tool/tool-backend.ts'
import type { OpenIndex } from './tool-index-contract.case.ts'

const MCP: ToolBackend = { kind: 'mcp', serverName: 'github' }
const LOCAL: ToolBackend = { kind: 'local', name: 'gh' }
const PROVIDER: ToolBackend = { kind: 'provider', providerId: 'acme', toolId: 'i1' }
const ISSUE = {
  namespace: 'github',
  name: 'create_issue',
  description: 'Creates an issue.',
  inputSchema: { type: 'object', properties: { title: { type: 'string' }, body: { type: 'string' } } },
}
const ID = 'github:create_issue'

/** A new object each time: the platform's own clone cannot go this deep. */
function deepTool(): Tool {
  let inputSchema: { type: string; properties?: object } = { type: 'string' }
  for (let i = 0; i < 5_000; i++) inputSchema = { type: 'object', properties: { next: inputSchema } }
  return { name: 'deep', description: 'word '.repeat(200_000), inputSchema }
}

/** Registering, backends and events. */
export function changesContract(open: OpenIndex): void {
  describe('registerTool', () => {
    it('[T2] keeps the whole definition for getTool', async () => {
      const { index } = await openRecorded(open)
      await index.registerTool(ISSUE, MCP)
      expect(await index.getTool(ID)).toEqual({ tool: { ...ISSUE, id: ID }, backend: MCP })
    })

    it('is not reached by later changes of what it was given', async () => {
      const { index } = await openRecorded(open)
      const tool = structuredClone(ISSUE)
      await index.registerTool(tool, MCP)
      tool.inputSchema.properties.title.type = 'number'
      expect((await index.getTool(ID)).tool.inputSchema).toEqual(ISSUE.inputSchema)
      await expect(index.registerTool(tool, MCP)).rejects.toMatchObject({ code: 'INVALID_TOOL' })
    })

    it('[T4] accepts the same tool again, in any order of keys, and changes nothing', async () => {
      const { index, provider, events } = await openRecorded(open)
      await index.registerTool(ISSUE, MCP)
      const { inputSchema, ...rest } = ISSUE
      const { title, body } = inputSchema.properties
      await index.registerTool({ inputSchema: { properties: { body, title }, type: 'object' }, ...rest }, { ...MCP })
      expect([index.version, events.length, provider.changes.length]).toEqual([1, 1, 1])
    })

    it.each([
      ['title', { title: 'Other' }],
      ['description', { description: 'Other' }],
      ['inputSchema', { inputSchema: { type: 'object' } }],
      ['outputSchema', { outputSchema: {} }],
      ['annotations', { annotations: { readOnlyHint: true } }],
      ['icons', { icons: [] }],
      ['_meta', { _meta: {} }],
    ])('[T4] refuses the same id with another %s', async (field, other) => {
      const { index } = await openRecorded(open)
      await index.registerTool(ISSUE, MCP)
      const refused = index.registerTool({ ...ISSUE, ...other }, LOCAL)
      await expect(refused).rejects.toMatchObject({ code: 'INVALID_TOOL', details: { tool: ID, field } })
      expect(await index.getAllBackends(ID)).toEqual([MCP])
      expect(index.version).toBe(1)
    })

    it('[T4] refuses a tool without namespace whose name is the key of another', async () => {
      const { index } = await openRecorded(open)
      await index.registerTool(ISSUE, MCP)
      await expect(index.registerTool({ name: ID }, LOCAL)).rejects.toMatchObject({ code: 'INVALID_TOOL' })
    })

    it('[T11] normalises tags, takes later ones, and keeps them where none are given', async () => {
      const { index } = await openRecorded(open)
      await index.registerTool({ ...ISSUE, tags: ['Old One'] }, MCP)
      await index.registerTool(ISSUE, LOCAL)
      expect((await index.getTool(ID)).tool.tags).toEqual(['old-one'])
      await index.registerTool({ ...ISSUE, tags: ['New'] }, LOCAL)
      expect((await index.getTool(ID)).tool.tags).toEqual(['new'])
      expect((await index.search('new')).results).toHaveLength(1)
    })

    it.each([
      ['lexical', () => new LexicalProvider()],
      ['bm25', () => new Bm25Provider()],
    ])('takes a schema of 10,000 levels and a description of 1 MB with %s', async (_, provider) => {
      const index = await open({ provider: provider() })
      await index.registerTool(deepTool(), MCP)
      await index.registerTool(deepTool(), LOCAL)
      expect((await index.search('deep')).results[0]?.shortDescription?.length).toBeLessThanOrEqual(160)
      expect(await index.getAllBackends('deep')).toEqual([MCP, LOCAL])
    })

    it('keeps names of Object.prototype apart from what they inherit', async () => {
      const { index } = await openRecorded(open)
      for (const name of ['__proto__', 'constructor', 'toString']) {
        await expect(index.getTool(name)).rejects.toMatchObject({ code: 'NOT_FOUND' })
        await index.registerTool({ name, namespace: '__proto__' }, LOCAL)
        expect((await index.getTool(`__proto__:${name}`)).tool.name).toBe(name)
      }
      expect(await index.listNamespaces()).toEqual(['__proto__'])
    })
  })

  describe('registerTools', () => {
    it('tells provider and listeners once, in id order', async () => {
      const { index, provider, events } = await openRecorded(open)
      const names = ['b', 'a', 'é', 'Z']
      await index.registerTools(names.map((name) => ({ tool: { name }, backend: LOCAL })))
      expect(provider.changes).toHaveLength(1)
      expect(provider.changes[0]?.added.map((tool) => tool.id)).toEqual(['Z', 'a', 'b', 'é'])
      expect(events).toEqual([{ version: 1, added: ['Z', 'a', 'b', 'é'], changed: [], removed: [] }])
    })

    it('is all or nothing', async () => {
      const { index, provider, events } = await openRecorded(open)
      const good = { tool: ISSUE, backend: MCP }
      for (const bad of [
        { tool: { name: '' }, backend: MCP },
        { tool: { name: 'x' }, backend: { kind: 'mcp' } },
        { tool: { ...ISSUE, description: 'Other' }, backend: MCP },
        null,
        7,
      ]) {
        await expect(index.registerTools([good, bad as typeof good])).rejects.toMatchObject({
          code: expect.stringMatching(/^INVALID_(TOOL|BACKEND)$/),
        })
      }
      expect([index.version, events.length, provider.changes.length]).toEqual([0, 0, 0])
      expect(await index.listNamespaces()).toEqual([])
    })

    it('leaves the index as it was when the provider fails', async () => {
      const provider = new RecordingProvider()
      provider.apply = () => {
        throw new TypeError('out of memory')
      }
      const index = await open({ provider })
      await expect(index.registerTool(ISSUE, MCP)).rejects.toMatchObject({ code: 'SEARCH_UNAVAILABLE' })
      await expect(index.getTool(ID)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(index.version).toBe(0)
    })
  })

  describe('backends', () => {
    it('[T6] are kept in order; local goes before provider before mcp', async () => {
      const { index, provider } = await openRecorded(open)
      const chosen: ToolBackend[] = []
      for (const backend of [MCP, PROVIDER, LOCAL]) {
        await index.registerTool(ISSUE, backend)
        chosen.push((await index.getTool(ID)).backend)
      }
      expect(await index.getAllBackends(ID)).toEqual([MCP, PROVIDER, LOCAL])
      expect(chosen).toEqual([MCP, PROVIDER, LOCAL])
      expect(provider.changes).toHaveLength(1)
    })

    it('[T6] are selected by the given selector', async () => {
      const index = await open({
        provider: new RecordingProvider(),
        backendSelector: (backends) => backends.find((backend) => backend.kind === 'mcp'),
      })
      await index.registerTools([MCP, LOCAL].map((backend) => ({ tool: ISSUE, backend })))
      expect((await index.getTool(ID)).backend).toEqual(MCP)
      await index.unregisterBackend(ID, MCP)
      await expect(index.getTool(ID)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    })

    it('[T14] are a change of the tool that carries a version', async () => {
      const { index, events } = await openRecorded(open)
      await index.registerTool(ISSUE, MCP)
      await index.registerTool(ISSUE, LOCAL)
      await index.unregisterBackend(ID, MCP)
      expect(events.slice(1)).toEqual([
        { version: 2, added: [], changed: [ID], removed: [] },
        { version: 3, added: [], changed: [ID], removed: [] },
      ])
      expect(index.version).toBe(3)
    })

    it('[T5] are refused without the field that their kind needs', async () => {
      const { index } = await openRecorded(open)
      const refused = index.registerTool(ISSUE, { kind: 'provider', providerId: 'acme' } as never)
      await expect(refused).rejects.toMatchObject({ code: 'INVALID_BACKEND', details: { field: 'toolId' } })
    })
  })

  describe('unregisterBackend', () => {
    it('[T7] removes the tool with its last backend and the namespace with its last tool', async () => {
      const { index, provider, events } = await openRecorded(open)
      await index.registerTools([MCP, LOCAL].map((backend) => ({ tool: ISSUE, backend })))
      await index.registerTool({ namespace: 'github', name: 'z' }, MCP)
      await index.unregisterBackend(ID, LOCAL)
      expect(provider.ids()).toEqual([ID, 'github:z'])
      await index.unregisterBackend(ID, MCP)
      await expect(index.getTool(ID)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(await index.listNamespaces()).toEqual(['github'])
      await index.unregisterBackend('github:z', MCP)
      expect(await index.listNamespaces()).toEqual([])
      expect(provider.ids()).toEqual([])
      expect(events.at(-1)).toEqual({ version: 5, added: [], changed: [], removed: ['github:z'] })
    })

    it('[T7] answers NOT_FOUND for a tool or backend that is not there, as lookups do', async () => {
      const { index } = await openRecorded(open)
      await index.registerTool(ISSUE, MCP)
      const attempts = [
        () => index.unregisterBackend(ID, LOCAL),
        () => index.unregisterBackend('nothing', MCP),
        () => index.getTool('nothing'),
        () => index.getTool(7 as never),
        () => index.getAllBackends('nothing'),
      ]
      for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(index.version).toBe(1)
    })
  })

  describe('onChange', () => {
    it('[T14] tells the new version after the change, until unsubscribed, twice if one likes', async () => {
      const { index } = await openRecorded(open)
      const versions: number[] = []
      const stop = index.onChange((event) => versions.push(event.version, index.version))
      index.onChange(() => {
        throw new Error('mine')
      })
      await index.registerTool(ISSUE, MCP)
      stop()
      stop()
      await index.registerTool(ISSUE, LOCAL)
      expect(versions).toEqual([1, 1])
      expect(index.version).toBe(2)
    })
  })
}
