import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach } from 'vitest'
import { type FakeOptions, fakeContext } from './fake-gateway.case.ts'
import { runProgram } from './program.ts'
import { writePrivateJson } from '../private-files.ts'

/** A request that the running gateway received. */
interface Received {
  readonly url: string | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Readonly<Record<string, unknown>>
}

/** A folder with a configuration of two servers for each test, and functions that run commands in it. */
export function useCommands() {
  let folder = ''
  const open: Server[] = []
  const configure = (value: unknown): void => writeFileSync(join(folder, 'tooldex.json'), JSON.stringify(value))
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tooldex-commands-'))
    configure({ mcpServers: { a: { command: 'a' }, b: { command: 'b' } }, dataDir: 'data' })
  })
  afterEach(() => {
    for (const server of open.splice(0)) server.close()
    rmSync(folder, { recursive: true })
  })

  async function run(line: string | readonly string[], fake: FakeOptions = {}) {
    const kit = fakeContext(folder, fake)
    const code = await runProgram(typeof line === 'string' ? line.split(' ') : line, kit.context)
    return { ...kit, code, json: () => JSON.parse(kit.out()) as Record<string, unknown> }
  }

  /** A running gateway that answers with the message and records its requests. */
  async function runningGateway(answer: object, type = 'application/json') {
    const requests: Received[] = []
    const server = createServer((req, res) => {
      if (req.url === '/healthz') return void res.end('{}')
      const message = JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer })
      return void text(req).then((body) => {
        requests.push({ url: req.url, headers: req.headers, body: JSON.parse(body || '{}') as Received['body'] })
        res.writeHead(200, { 'content-type': type })
        res.end(type === 'application/json' ? message : `event: message\ndata: {"method":"x"}\n\ndata: ${message}\n\n`)
      })
    })
    open.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    leaveRecord(url)
    return { url, requests }
  }

  function leaveRecord(url: string, database?: string): void {
    mkdirSync(join(folder, 'data'), { recursive: true })
    const record = {
      pid: process.pid,
      url,
      version: '1',
      startedAt: 1,
      token: 'tdx_local',
      ...(database !== undefined && { database }),
    }
    writePrivateJson(join(folder, 'data', 'gateway.json'), record)
  }

  return { folder: () => folder, configure, run, runningGateway, leaveRecord }
}
