import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../kit/gateway.ts'
import { Machine } from '../kit/program.ts'

let server: Server
const received: (string | undefined)[] = []

beforeEach(async () => {
  received.length = 0
  server = createServer((request, response) => {
    received.push(request.headers.authorization)
    response.writeHead(401).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => server.close())

/** Imports a server with a header that refers to a variable, from standard input. */
async function imported(machine: Machine) {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const issues = { url, headers: { Authorization: 'Bearer ${ISSUES_TOKEN}' } }
  writeFileSync(join(machine.folder, 'paste.json'), JSON.stringify({ mcpServers: { issues } }))
  return machine.run('tooldex server import - < paste.json')
}

describe('an imported server that refers to a variable', () => {
  it('[U2] receives the value of the variable, never its name', async () => {
    await using machine = new Machine({ ISSUES_TOKEN: 'tok-1' })
    await machine.serve()
    expect((await imported(machine)).out).toMatch(/issues +added/)
    await until(() => received.length > 0)
    expect(new Set(received)).toEqual(new Set(['Bearer tok-1']))
  }, 60_000)

  it('[U2] is off without the value, names it, and receives the value that is given', async () => {
    await using machine = new Machine()
    await machine.serve()
    expect((await imported(machine)).out).toMatch(/issues +added, off +needs a value for ISSUES_TOKEN/)
    expect((await machine.run('tooldex server list')).out).toMatch(/issues +disabled .*needs a value for ISSUES_TOKEN/)
    expect(received).toEqual([])
    await machine.run('tooldex server set issues --input ISSUES_TOKEN=given')
    await until(() => received.length > 0)
    expect(new Set(received)).toEqual(new Set(['Bearer given']))
  }, 60_000)
})
