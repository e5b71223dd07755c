import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { until } from '../kit/gateway.ts'
import { httpServers } from '../kit/http-servers.ts'
import { CountedGateway } from './counted-gateway.ts'

/** The walks of ARCHITECTURE.md, by the names that `npm run walk` prints. */
export const WALKS = ['list', 'search', 'execute-stdio', 'execute-http', 'list-change', 'permission-change'] as const

/** The name of a walk. */
export type Walk = (typeof WALKS)[number]

/** The source files that one warm request runs through, with the functions of each that it calls. */
export type WalkedFiles = ReadonlyMap<string, readonly string[]>

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const WARM_UPS = 2
const NOTIFIED_WITHIN_MS = 10_000
const TOKEN = `tdx_${'w'.repeat(43)}`
const LIST_CHANGED = 'notifications/tools/list_changed'

const READ = textTool('read_file', 'Read a file.', ['path'])
const WRITE = textTool('write_file', 'Write text to a file.', ['path', 'text'])
const APPEND = textTool('append_file', 'Append text to a file.', ['path', 'text'])
const FETCH = textTool('fetch_page', 'Fetch a web page.', ['url'])

/**
 * Runs every walk through a real gateway with a legacy session and collects the files of each. Only functions that run in every
 * repetition count: a timer that fires during one of them is not part of the walk.
 */
export async function walkAll(repetitions = 3): Promise<ReadonlyMap<Walk, WalkedFiles>> {
  await using http = await httpServers({ web: [FETCH] })
  const servers = {
    files: fixtureServer({ tools: [READ, WRITE], otherTools: [READ, APPEND] }),
    ...http.entries({ era: '2026-07-28' }),
  }
  await using gateway = await CountedGateway.start({ tokens: [{ name: 'walk', value: TOKEN }] })
  const admin = adminRequests(gateway)
  for (const [id, server] of Object.entries(servers)) await admin('POST', '/servers', { id, ...server })
  await admin('POST', '/projects', { id: 'walk', servers: Object.keys(servers) })
  await admin('POST', '/endpoints', { id: 'meta', project: 'walk', exposure: 'meta-tools' })
  await admin('POST', '/endpoints', { id: 'full', project: 'walk', exposure: 'full' })
  const [meta, full] = await Promise.all(['meta', 'full'].map((each) => connect('legacy', gateway.url, TOKEN, each)))
  if (meta === undefined || full === undefined) throw new Error('The clients did not connect')
  await until(async () => (await full.listTools()).length === 3)
  const pid = (await admin('GET', '/servers/files')).status.pid
  let isAllowed = true
  const actions: Record<Walk, () => Promise<unknown>> = {
    list: () => meta.listTools(),
    search: () => meta.call('tool_discovery', { query: ['read a file'] }),
    'execute-stdio': () => meta.call('tool_execute', { toolKey: 'files:read_file', arguments: { path: 'a' } }),
    'execute-http': () => meta.call('tool_execute', { toolKey: 'web:fetch_page', arguments: { url: 'a' } }),
    'list-change': async () => {
      const notices = () => full.heard.filter(({ method }) => method === LIST_CHANGED).length
      const before = notices()
      process.kill(pid, 'SIGUSR2')
      await until(() => notices() > before, NOTIFIED_WITHIN_MS)
    },
    'permission-change': () => {
      isAllowed = !isAllowed
      return admin('PATCH', '/projects/walk/tools/web:fetch_page', { allowed: isAllowed })
    },
  }
  const walked = new Map<Walk, WalkedFiles>()
  for (const walk of WALKS) {
    for (let at = 0; at < WARM_UPS; at++) await actions[walk]()
    let common = [...(await gateway.functionsOf(actions[walk]))]
    for (let at = 1; at < repetitions; at++) {
      const again = await gateway.functionsOf(actions[walk])
      common = common.filter((each) => again.has(each))
    }
    walked.set(walk, byFile(common))
  }
  await Promise.all([meta.close(), full.close()])
  return walked
}

/** Requests of the gateway's owner to the admin API. */
function adminRequests(gateway: CountedGateway) {
  return async (
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: { readonly pid: number } }> => {
    const response = await fetch(`${gateway.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${gateway.ownerToken}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
}

function byFile(functions: readonly string[]): WalkedFiles {
  const files = new Map<string, string[]>()
  for (const each of functions.toSorted()) {
    const [path = '', name = ''] = each.split('\t')
    const file = relative(ROOT, path)
    files.set(file, [...(files.get(file) ?? []), name])
  }
  return files
}
