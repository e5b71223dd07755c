import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openRecorded } from './recording-provider.case.ts'
import type { McpTool } from '../tool/tool.ts'
import type { ToolBackend } from '../tool/tool-backend.ts'
import type { ServerOptions } from './tool-index.ts'
import type { OpenIndex } from './tool-index-contract.case.ts'

const LOCAL: ToolBackend = { kind: 'local', name: 'gh' }

/** Whole lists of servers. */
export function serverListsContract(open: OpenIndex): void {
  describe('registerToolsFromMCP', () => {
    it('[T13] takes the list of a server under its namespace', async () => {
      const { index, provider } = await openRecorded(open)
      await index.registerToolsFromMCP('github', [{ name: 'search', title: 'Find' }, { name: 'create' }], {
        description: 'Code hosting',
        tags: ['Dev Tools'],
      })
      expect(await index.getTool('github:search')).toEqual({
        tool: {
          id: 'github:search',
          name: 'search',
          namespace: 'github',
          title: 'Find',
          namespaceDescription: 'Code hosting',
          tags: ['dev-tools'],
        },
        backend: { kind: 'mcp', serverName: 'github' },
      })
      expect(provider.changes).toHaveLength(1)
      expect(index.version).toBe(1)
    })

    it('[T13] keeps the same name of two servers apart', async () => {
      const { index } = await openRecorded(open)
      await index.registerToolsFromMCP('github', [{ name: 'search', description: 'code' }])
      await index.registerToolsFromMCP('web', [{ name: 'search', description: 'pages' }], { backend: LOCAL })
      expect((await index.getTool('github:search')).tool.description).toBe('code')
      expect((await index.getTool('web:search')).backend).toEqual(LOCAL)
      expect(await index.listNamespaces()).toEqual(['github', 'web'])
    })

    it('[T13] is all or nothing', async () => {
      const { index, provider, events } = await openRecorded(open)
      const lists: unknown[] = [[{ name: 'a' }, { name: '' }], [{ name: 'a' }, null], null, 'a', new Set(), 7]
      for (const list of lists) {
        await expect(index.registerToolsFromMCP('github', list as [])).rejects.toMatchObject({
          code: expect.stringMatching(/^INVALID_(TOOL|ARGUMENTS)$/),
        })
      }
      expect([index.version, events.length, provider.changes.length]).toEqual([0, 0, 0])
    })

    it('counts a tool that is listed twice once, and refuses two that differ', async () => {
      const { index } = await openRecorded(open)
      await index.registerToolsFromMCP('github', [{ name: 'a' }, { name: 'a' }])
      expect((await index.search('')).results).toHaveLength(1)
      const refused = index.registerToolsFromMCP('web', [{ name: 'a' }, { name: 'a', description: 'Other' }])
      await expect(refused).rejects.toMatchObject({
        code: 'INVALID_TOOL',
        details: { tool: 'web:a', field: 'description' },
      })
    })

    it.each(['', 'a:b', 'a\u0000', null])('refuses the namespace %j even for an empty list', async (namespace) => {
      const { index } = await openRecorded(open)
      await expect(index.registerToolsFromMCP(namespace as string, [])).rejects.toMatchObject({ code: 'INVALID_TOOL' })
    })

    it('refuses options that are no text', async () => {
      const { index } = await openRecorded(open)
      for (const options of [{ description: 1 }, { tags: 'x' }, { tags: [1] }, { backend: { kind: 'mcp' } }]) {
        await expect(index.registerToolsFromMCP('github', [], options as never)).rejects.toMatchObject({
          code: expect.stringMatching(/^INVALID_(ARGUMENTS|BACKEND)$/),
        })
      }
    })
  })

  describe('sync', () => {
    it('[T13] adds, replaces and removes in one change, and reports what', async () => {
      const { index, provider, events } = await openRecorded(open)
      await index.sync('github', [{ name: 'same' }, { name: 'old' }, { name: 'edited' }])
      const diff = await index.sync('github', [{ name: 'edited', description: 'D' }, { name: 'new' }, { name: 'same' }])
      expect(diff).toEqual({ added: ['github:new'], changed: ['github:edited'], removed: ['github:old'] })
      expect(events.at(-1)).toEqual({ version: 2, ...diff })
      expect(provider.changes).toHaveLength(2)
      expect(provider.ids()).toEqual(['github:edited', 'github:new', 'github:same'])
      expect((await index.getTool('github:edited')).tool.description).toBe('D')
    })

    it('[T13] does nothing for a list that is as before', async () => {
      const { index, events, provider } = await openRecorded(open)
      const list = [{ name: 'a', inputSchema: { type: 'object', title: 'A' } }, { name: 'b' }]
      await index.sync('github', list, { tags: ['x'] })
      const again = [{ name: 'b' }, { inputSchema: { title: 'A', type: 'object' }, name: 'a' }]
      expect(await index.sync('github', again, { tags: ['X'] })).toEqual({ added: [], changed: [], removed: [] })
      expect([index.version, events.length, provider.changes.length]).toEqual([1, 1, 1])
    })

    it('sees changed tags, descriptions of the server and fields that MCP does not know', async () => {
      const { index } = await openRecorded(open)
      await index.sync('github', [{ name: 'a' }], { tags: ['x'], description: 'D' })
      const lists: [McpTool, ServerOptions][] = [
        [{ name: 'a' }, { description: 'D' }],
        [{ name: 'a' }, {}],
        [{ name: 'a', vendor: 1 } as McpTool, {}],
        [{ name: 'a' }, {}],
      ]
      for (const [tool, options] of lists) {
        expect((await index.sync('github', [tool], options)).changed).toEqual(['github:a'])
      }
      expect((await index.getTool('github:a')).tool).toEqual({ id: 'github:a', name: 'a', namespace: 'github' })
    })

    it('[T7] empties the namespace for an empty list and leaves others alone', async () => {
      const { index } = await openRecorded(open)
      await index.sync('github', [{ name: 'a' }])
      await index.sync('git', [{ name: 'a' }])
      expect((await index.sync('github', [])).removed).toEqual(['github:a'])
      expect(await index.listNamespaces()).toEqual(['git'])
    })

    it('takes only its own backend from a tool that another backend serves', async () => {
      const { index } = await openRecorded(open)
      await index.sync('github', [{ name: 'a' }])
      await index.registerTool({ namespace: 'github', name: 'a' }, LOCAL)
      await index.registerTool({ namespace: 'github', name: 'local_only' }, LOCAL)
      expect(await index.sync('github', [])).toEqual({ added: [], changed: ['github:a'], removed: [] })
      expect(await index.getAllBackends('github:a')).toEqual([LOCAL])
      expect(await index.getAllBackends('github:local_only')).toEqual([LOCAL])
    })

    it('[T4] does not change what another backend serves, nor a tool of no namespace', async () => {
      const { index, provider } = await openRecorded(open)
      await index.registerTools([
        { tool: { namespace: 'github', name: 'a' }, backend: LOCAL },
        { tool: { name: 'web:x' }, backend: LOCAL },
      ])
      const other = index.sync('github', [{ name: 'new' }, { name: 'a', description: 'Other' }])
      await expect(other).rejects.toMatchObject({
        code: 'INVALID_TOOL',
        details: { tool: 'github:a', field: 'description' },
      })
      for (const options of [{}, { backend: LOCAL }]) {
        await expect(index.sync('web', [{ name: 'x' }], options)).rejects.toMatchObject({ code: 'INVALID_TOOL' })
      }
      expect([index.version, provider.changes.length]).toEqual([1, 1])
    })

    it('[T13] leads from any list to any other as if the first had never been', async () => {
      const tool = fc.record(
        { name: fc.constantFrom('a', 'b', 'c', 'd'), description: fc.constantFrom('x', 'y') },
        { requiredKeys: ['name'] },
      )
      const list = fc.uniqueArray(tool, { selector: ({ name }) => name })
      await fc.assert(
        fc.asyncProperty(list, list, async (before, after) => {
          const { index, provider, events } = await openRecorded(open)
          await index.sync('s', before)
          const version = index.version
          const { added, changed, removed } = await index.sync('s', after)

          const fresh = await openRecorded(open)
          await fresh.index.sync('s', after)
          expect(provider.ids()).toEqual(fresh.provider.ids())
          for (const id of provider.ids()) expect(await index.getTool(id)).toEqual(await fresh.index.getTool(id))
          const isChange = added.length + changed.length + removed.length > 0
          expect(index.version - version).toBe(isChange ? 1 : 0)
          expect(events).toHaveLength(index.version)
        }),
      )
    })

    describe('a lenient registration', () => {
      const mixed = [
        { name: 'read', description: 'Reads' },
        { name: 'read', description: 'Reads otherwise' },
        { name: '' },
        { name: 'write', inputSchema: 'none' },
        { name: 'list' },
      ] as readonly McpTool[]

      it.each(['registerToolsFromMCP', 'sync'] as const)(
        'by %s leaves out and reports single tools',
        async (method) => {
          const index = await open({})
          const refused: (readonly [number, unknown])[] = []
          await index[method]('files', mixed, {
            onRefused: ({ position, error }) => refused.push([position, error.details['field']]),
          })
          expect(refused).toEqual([
            [1, 'description'],
            [2, 'name'],
            [3, 'inputSchema'],
          ])
          expect((await index.search('')).results.map(({ id }) => id)).toEqual(['files:list', 'files:read'])
          expect((await index.getTool('files:read')).tool.description).toBe('Reads')
        },
      )

      it('is not made without a receiver of the reports', async () => {
        const index = await open({})
        await expect(index.sync('files', mixed)).rejects.toMatchObject({ code: 'INVALID_TOOL' })
        expect(index.version).toBe(0)
      })
    })
  })
}
