import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { connect, type Json } from './clients.ts'
import { fixtureServer, textTool } from './fixture-server.ts'
import { until } from './gateway.ts'
import { Machine, type RunningProgram } from './program.ts'

/** The part of a client that shows whether its token is valid. */
interface Caller {
  listTools(): Promise<unknown>
  call(name: string): Promise<unknown>
  close(): Promise<void>
}

/** The transports and eras of clients. `joined` is a `tooldex stdio` that passes messages on to the running gateway. */
export const TRANSPORTS = [
  'legacy',
  'modern',
  'sse',
  'stdio',
  'stdio 2026-07-28',
  'joined',
  'joined 2026-07-28',
] as const
/** How a token ends. */
export const ENDS = ['revoked', 'expired'] as const

/** When a token was refused, in milliseconds after its end. */
export interface Refusal {
  readonly transport: (typeof TRANSPORTS)[number]
  readonly end: (typeof ENDS)[number]
  /** The call that was being answered. */
  readonly callMs: number
  readonly callError: string
  /** The first request that was refused. */
  readonly nextMs: number
  readonly nextError: string
}

const SERVER = fixtureServer({
  tools: [textTool('echo', 'Echoes'), textTool('wait', 'Never answers')],
  answers: [['wait', 'hang']],
})
/** The configuration file of the programs that join no gateway. */
const OWN_CONFIG = 'own.json'
/** Until a token expires, if the gateway takes no longer to accept the expiry. */
const EXPIRES_AFTER_MS = 3_000

/**
 * Lets tokens end while their clients call, on every transport, with a gateway on the given database. With many transports at
 * once it takes less time, and the times say less.
 */
export async function refusals(databaseUrl?: string, atOnce = 1): Promise<readonly Refusal[]> {
  await using machine = new Machine(databaseUrl === undefined ? {} : { TOOLDEX_DATABASE_URL: databaseUrl })
  const gateway = await machine.serve()
  const admin = adminOf(gateway)
  await admin('POST', '/servers', { id: 's', ...SERVER })
  await admin('POST', '/projects', { id: 'p', servers: ['s'], exposure: 'full' })
  await admin('POST', '/endpoints', { id: 'p', project: 'p' })
  await until(async () => (await admin('GET', '/servers/s'))['counts'].tools === 2)
  // Written before the first program reads it: a file that is being written may be empty for a moment.
  writeFileSync(join(machine.folder, OWN_CONFIG), '{}')
  const rows: Refusal[] = []
  for (let next = 0; next < TRANSPORTS.length; next += atOnce) {
    const cases = TRANSPORTS.slice(next, next + atOnce).flatMap((transport) => ENDS.map((end) => ({ transport, end })))
    // Programs start before the first token ends: their starts use the processor, and the times are those of the ends.
    const connected = await Promise.all(cases.map((each) => connectedCase(each, { machine, gateway, admin })))
    rows.push(...(await Promise.all(connected.map((each) => refusalOf(each, admin)))))
  }
  return rows
}

type Admin = ReturnType<typeof adminOf>

function adminOf({ url, out }: RunningProgram) {
  const token = /tdxa_[\w-]+/.exec(out)?.[0] ?? ''
  return async (method: string, path: string, body?: object): Promise<Json> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Json
  }
}

/** A client whose token is about to end. */
interface ConnectedCase extends Pick<Refusal, 'transport' | 'end'> {
  readonly caller: Caller
  readonly tokenId: string
}

async function connectedCase(
  { transport, end }: Pick<Refusal, 'transport' | 'end'>,
  { machine, gateway, admin }: { machine: Machine; gateway: RunningProgram; admin: Admin },
): Promise<ConnectedCase> {
  const { secret, token } = await admin('POST', '/tokens', { name: `${transport} ${end}`, projects: ['p'] })
  const caller = await callerOver(transport, machine, gateway, String(secret))
  await until(async () => JSON.stringify(await caller.listTools()).includes('s__wait'))
  return { transport, end, caller, tokenId: String(token.id) }
}

async function refusalOf({ transport, end, caller, tokenId }: ConnectedCase, admin: Admin): Promise<Refusal> {
  const calling = outcomeOf(caller.call('s__wait'))
  // Answered after the call before it has been read.
  await caller.call('s__echo')
  let endedAt = Date.now()
  if (end === 'revoked') await admin('DELETE', `/tokens/${tokenId}`)
  else {
    endedAt = await letExpire(tokenId, admin)
    // It is valid until then; on a busy machine the answer may come later.
    const before = await outcomeOf(caller.listTools())
    if (before.at < endedAt && !before.error.startsWith('answered')) throw new Error(`refused early: ${before.error}`)
    await until(() => Date.now() >= endedAt)
  }
  const since = end === 'revoked' ? Date.now() : endedAt
  const [call, next] = await Promise.all([calling, refused(caller)])
  await caller.close()
  return {
    ...{ transport, end, callMs: call.at - since, callError: call.error },
    ...{ nextMs: next.at - since, nextError: next.error },
  }
}

/** Resolves to the time at which the token expires. The time must lie ahead when a busy gateway reads it. */
async function letExpire(tokenId: string, admin: Admin, afterMs = EXPIRES_AFTER_MS): Promise<number> {
  const expiresAt = Date.now() + afterMs
  try {
    await admin('PATCH', `/tokens/${tokenId}`, { expiresAt })
    return expiresAt
  } catch (error) {
    if (!String(error).includes('must be in the future')) throw error
    return letExpire(tokenId, admin, 2 * afterMs)
  }
}

async function outcomeOf(promise: Promise<unknown>): Promise<{ readonly at: number; readonly error: string }> {
  const error = await promise.then(
    (value) => `answered ${JSON.stringify(value)}`,
    (reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
  )
  return { at: Date.now(), error }
}

async function refused(caller: Caller): Promise<{ readonly at: number; readonly error: string }> {
  let outcome = await outcomeOf(caller.listTools())
  await until(async () => {
    if (!outcome.error.startsWith('answered')) return true
    outcome = await outcomeOf(caller.listTools())
    return false
  })
  return outcome
}

async function callerOver(
  transport: Refusal['transport'],
  machine: Machine,
  { url }: RunningProgram,
  token: string,
): Promise<Caller> {
  if (transport === 'legacy' || transport === 'modern' || transport === 'sse')
    return connect(transport, url, token, 'p')
  const isModern = transport.endsWith('2026-07-28')
  const negotiation = isModern ? { versionNegotiation: { mode: 'auto' as const } } : {}
  // With a configuration file of its own it runs a gateway of its own, on the same database.
  const config = transport.startsWith('joined') ? [] : ['--config', join(machine.folder, OWN_CONFIG)]
  const client = new Client({ name: 'revocation', version: '1' }, { capabilities: {}, ...negotiation })
  await client.connect(
    new StdioClientTransport({
      ...{ command: 'tooldex', args: ['stdio', '--endpoint', 'p', ...config], stderr: 'ignore' },
      ...{ env: { ...machine.variables, TOOLDEX_TOKEN: token }, cwd: machine.folder },
    }),
  )
  return {
    listTools: async () => (await client.listTools()).tools,
    call: (name) => client.callTool({ name }),
    close: () => client.close(),
  }
}
