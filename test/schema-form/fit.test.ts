import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../scripts/packages.ts'
import { connectStdio, type Json } from '../kit/clients.ts'
import { misfitsOf } from './fit.ts'

const SERVERS = ['memory', 'everything', 'sequential-thinking', 'filesystem']

it('fits the schemas of published servers: what it makes validates, and valid values survive it', {
  timeout: 60_000,
}, async () => {
  const schemas: [string, unknown][] = []
  for (const name of SERVERS) {
    const program = join(ROOT, 'node_modules', '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js')
    const args = [program, ...(name === 'filesystem' ? [ROOT] : [])]
    const client = await connectStdio('v1', { command: process.execPath, args, stderr: 'ignore' })
    for (const tool of await client.listTools())
      schemas.push([String((tool as Json)['name']), (tool as Json)['inputSchema']])
    await client.close()
  }
  expect(schemas.length).toBeGreaterThan(30)
  const misfits = await Promise.all(schemas.map(async ([name, schema]) => [name, await misfitsOf(schema)] as const))
  expect(misfits.filter(([, found]) => found.length > 0)).toEqual([])
})

it('notices a form that does not fit', async () => {
  expect(await misfitsOf({ type: 'object', required: ['a'], properties: { a: { not: {} } } })).not.toEqual([])
  expect(await misfitsOf({ type: 'string' })).toEqual(['the arguments are shown as JSON'])
})
