import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/packages.ts'
import { connect } from '../kit/clients.ts'
import { Machine } from '../kit/program.ts'
import { patternOf, stepsOf } from './walk.ts'

const STEPS = stepsOf(readFileSync(join(ROOT, 'docs/guide/getting-started.md'), 'utf8'))

interface CursorFile {
  readonly mcpServers: Readonly<Record<string, { readonly url: string; readonly headers: { Authorization: string } }>>
}

describe('docs/guide/getting-started.md', () => {
  let machine: Machine
  let cursor = ''
  beforeAll(async () => {
    machine = new Machine({ KEEP_PORT: '1' })
    const home = dirname(machine.folder)
    cursor = join(home, '.cursor', 'mcp.json')
    const files = ['-y', '@modelcontextprotocol/server-filesystem', machine.folder]
    const mcpServers = {
      files: { command: 'npx', args: files, env: { LANG: 'C' } },
      memory: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'], env: { LANG: 'C' } },
    }
    mkdirSync(dirname(cursor))
    writeFileSync(cursor, JSON.stringify({ mcpServers }, undefined, 2))
    writeFileSync(join(machine.folder, 'hello.txt'), 'hello')
    mkdirSync(machine.dataDir)
    writeFileSync(join(machine.dataDir, 'tooldex.json'), JSON.stringify({ listen: { port: await freePort() } }))
  })
  afterAll(() => machine[Symbol.asyncDispose]())

  it('[U1] works as written, and a client calls a tool through the entry that was written', async () => {
    const before = readFileSync(cursor)
    for (const { command, exitCode, output } of STEPS) {
      if (command === 'tooldex serve') {
        const gateway = await machine.serve()
        expect(gateway.out).toMatch(patternOf(output))
        continue
      }
      const { code, out, err } = await machine.run(command)
      expect({ command, code, err: code === exitCode ? '' : err }).toEqual({ command, code: exitCode, err: '' })
      expect(out, command).toMatch(patternOf(output))
    }
    const { url, headers } = (JSON.parse(readFileSync(cursor, 'utf8')) as CursorFile).mcpServers['tooldex'] ?? {
      url: '',
      headers: { Authorization: '' },
    }
    const client = await connect('v1', url.replace(/\/mcp$/, ''), headers.Authorization.replace('Bearer ', ''))
    const result = await client.call('files__list_directory', { path: '.' })
    await client.close()
    expect(JSON.stringify(result)).toContain('hello.txt')
    await machine.run('tooldex setup --undo')
    expect(readFileSync(cursor).equals(before)).toBe(true)
  }, 120_000)
})

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
