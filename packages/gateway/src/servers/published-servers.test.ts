import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { listen, plain } from './fixtures/http-servers.case.ts'
import { call, define, makePool, npmServer, textOf } from './fixtures/pool.case.ts'
import { listAll } from './protocol/list-all.ts'
import { repairTools } from '../catalog/repair-tools.ts'
import type { StdioTransport } from '../model/server.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function made() {
  const { pool } = makePool()
  cleanups.push(() => pool.stop())
  return pool
}

/** Runs the everything server behind a URL. @returns its address without a path */
async function everything(transport: 'streamableHttp' | 'sse'): Promise<string> {
  const free = await listen((_, res) => plain(res, 404), '')
  await free.close()
  const { command, args } = npmServer('everything', [transport]).transport as StdioTransport
  const child = spawn(command, args, { env: { PORT: new URL(free.url).port }, stdio: ['ignore', 'ignore', 'pipe'] })
  cleanups.push(() => {
    child.kill('SIGKILL')
    return once(child, 'exit')
  })
  await new Promise<void>((resolve) => {
    child.stderr.on('data', (said) => String(said).includes('port') && resolve())
  })
  return free.url
}

describe('Published servers', () => {
  it('[R23] serve side by side over standard streams, all their tools listed', async () => {
    const pool = made()
    const folder = mkdtempSync(join(tmpdir(), 'files-'))
    await pool.reconcile([
      npmServer('everything', [], { id: 'e' }),
      npmServer('memory', [], { id: 'm' }),
      npmServer('filesystem', [folder], { id: 'f' }),
    ])
    const lists = await Promise.all(pool.all().map((server) => listAll(server, 'tools')))
    const tools = lists.map(({ items }) => repairTools(items).tools)
    const names = tools.map((list) => list.map(({ definition }) => definition.name))
    expect(names[0]).toContain('echo')
    expect(names[1]).toContain('create_entities')
    expect(names[2]).toContain('read_text_file')
    expect(tools[0]?.filter(({ needsTask }) => needsTask).map(({ definition }) => definition.name)).toEqual([
      'simulate-research-query',
    ])
    expect(tools.flat().flatMap(({ repairs }) => repairs)).toEqual([])
    const said = await pool.get('e')?.request(call('echo', { message: 'hi' }))
    expect(textOf(said ?? {})).toBe('Echo: hi')
  })

  it.each([
    ['streamableHttp', 'http', '/mcp'],
    ['sse', 'sse', '/sse'],
  ] as const)('serve over %s, with progress, prompts and resources', async (transport, kind, path) => {
    const url = `${await everything(transport)}${path}`
    const pool = made()
    await pool.reconcile([define({ kind, url, headers: {} })])
    const [server] = pool.all()
    if (server === undefined) return expect.unreachable()
    const progress: unknown[] = []
    const working = call('trigger-long-running-operation', { duration: 0.2, steps: 2 })
    await server.request(working, { onProgress: (news) => progress.push(news['progress']) })
    expect(progress).toEqual([1, 2])
    const lists = await Promise.all(
      (['prompts', 'resources', 'resourceTemplates'] as const).map((what) => listAll(server, what)),
    )
    for (const { items, problems } of lists) {
      expect(items.length).toBeGreaterThan(0)
      expect(problems).toEqual([])
    }
  })
})
