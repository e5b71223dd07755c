import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { fakeContext } from './fake-gateway.case.ts'
import { runProgram } from './program.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const SAMPLE = fileURLToPath(new URL('../demo/sample-server.ts', import.meta.url))
const START_MS = 20_000

/** The real program in a separate process; the commands run here. */
describe('tooldex serve, the real one', () => {
  let folder: string
  let child: ChildProcess
  let started: Record<string, unknown>
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tooldex-main-'))
    const sample = (name: string) => ({ command: process.execPath, args: [SAMPLE, name] })
    const config = {
      mcpServers: {
        podyard: sample('podyard'),
        tasklane: sample('tasklane'),
        broken: { command: 'there-is-no-such-program' },
      },
      projects: { default: { toolSelectionOrder: ['alphabetical'] } },
      dataDir: 'data',
      listen: { port: 0 },
    }
    writeFileSync(join(folder, 'tooldex.json'), JSON.stringify(config))
    child = spawn(process.execPath, ['--conditions=tooldex-source', MAIN, 'serve', '--json'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    if (child.stdout === null) throw new Error('no output')
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    started = JSON.parse(line) as Record<string, unknown>
  }, START_MS)
  afterAll(() => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })
  async function run(...args: string[]) {
    const kit = fakeContext(folder)
    const code = await runProgram([...args, '--json'], kit.context)
    return { code, answer: JSON.parse(kit.out()) as Record<string, unknown> }
  }

  it('[P18] starts although one server fails to start', () => {
    expect(started).toMatchObject({
      tools: 21,
      servers: [
        { id: 'podyard', state: 'running', tools: 10 },
        { id: 'tasklane', state: 'running', tools: 11 },
        { id: 'broken', tools: 0 },
      ],
      endpoints: [{ exposure: 'limited', tokens: expect.any(Number) }],
    })
  })

  it('answers find, call and servers with any exposure of the endpoint', async () => {
    expect(await run('find', 'undo the last deployment', '--max', '1')).toMatchObject({
      code: 0,
      answer: { from: 'gateway', answeredBy: 'hybrid', hits: [{ toolKey: 'podyard:rollbackDeployment' }] },
    })
    expect(await run('call', 'tasklane:create_issue', '{"project":"WEB","title":"Broken link"}')).toMatchObject({
      code: 0,
      answer: { structuredContent: { title: 'Broken link' } },
    })
    expect(await run('call', 'tasklane:create_issue', '{"project":"WEB"}')).toMatchObject({ code: 2 })
    expect(await run('call', 'tasklane:nope')).toMatchObject({ code: 3 })
    // States are written shortly after they change.
    await vi.waitFor(async () => {
      expect((await run('servers')).answer).toMatchObject({
        running: true,
        servers: [{ id: 'podyard', state: 'running', tools: 10 }, {}, { id: 'broken' }],
      })
    }, START_MS)
  })

  it('stops cleanly on a signal', async () => {
    child.kill('SIGTERM')
    const [code] = (await once(child, 'exit')) as [number]
    expect(code).toBe(0)
    expect(existsSync(join(folder, 'data', 'gateway.json'))).toBe(false)
  })
})
