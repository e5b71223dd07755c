import { createHash } from 'node:crypto'
import { linkSync, rmSync } from 'node:fs'
import { isRecord } from '@tooldex/http-kit/json'
import { localEndpointId } from '../../config/local-access.ts'
import { GATEWAY_ERROR_CODES, GatewayError, type GatewayErrorCode } from '../../errors.ts'
import { DEFAULT_ENDPOINT } from '../../model/gateway-model.ts'
import { readJson, writePrivateJson } from '../../private-files.ts'
import { systemProcessTable } from '../../servers/stdio/process-table.ts'

const PROTOCOL = '2026-07-28'
const META = 'io.modelcontextprotocol/'
/** Generous, because a busy machine may answer late; a stopped gateway refuses the connection at once. */
const ALIVE_MS = 3_000

/** The answer of a gateway: a result, or an error with a code. */
type GatewayAnswer =
  | { readonly result: Readonly<Record<string, unknown>> }
  | { readonly error: { readonly code: string; readonly message: string } }

/**
 * A client of a gateway that runs on this machine. The 2026-07-28 revision of MCP needs no session, so each request is one
 * POST.
 */
export class RunningGateway {
  readonly #record: RunRecord
  readonly #fetch: typeof fetch
  readonly #version: string

  constructor(record: RunRecord, fetcher: typeof fetch, version: string) {
    this.#record = record
    this.#fetch = fetcher
    this.#version = version
  }

  get url(): string {
    return this.#record.url
  }

  /** Whether the gateway uses this database. */
  uses(database: string | undefined): boolean {
    return this.#record.database === undefined || this.#record.database === databaseMark(database)
  }

  /** Whether the gateway was started with this configuration file, or without one. */
  hasConfig(path: string | undefined): boolean {
    return this.#record.config === undefined || this.#record.config === (path ?? null)
  }

  /**
   * The address of an endpoint and the token to use there: the given one, or the owner's.
   * @throws GatewayError that the gateway answers with: TOKEN_INVALID, ENDPOINT_NOT_FOUND
   */
  async endpoint(
    endpointId: string,
    secret: string | undefined,
  ): Promise<{ readonly url: string; readonly token: string; readonly owner: string }> {
    const token = secret ?? this.#record.token
    const answer = await this.#post('server/discover', {}, endpointId, token)
    if ('error' in answer) {
      const { code, message } = answer.error
      const known = (GATEWAY_ERROR_CODES as readonly string[]).includes(code) ? (code as GatewayErrorCode) : 'INTERNAL'
      throw new GatewayError(known, { reason: `the gateway at ${this.url} answers: ${message}` })
    }
    return {
      url: `${this.url}/${endpointId === DEFAULT_ENDPOINT ? '' : `${encodeURIComponent(endpointId)}/`}mcp`,
      token,
      owner: this.#record.token,
    }
  }

  /** Sends a request to the admin API, with the owner's token. Only path and query of the URL count. */
  send(request: Request, signal?: AbortSignal): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${this.#record.token}`)
    const sent = new Request(`${this.#record.url}${pathname}${search}`, new Request(request, { headers }))
    return this.#fetch(sent, signal === undefined ? {} : { signal })
  }

  /** Calls one of the gateway's own tools through the endpoint for commands. */
  callTool(name: string, args: Record<string, unknown>, endpointId?: string): Promise<GatewayAnswer> {
    return this.request('tools/call', { name, arguments: args }, localEndpointId(endpointId))
  }

  /** Sends one request to an endpoint. */
  request(method: string, params: Record<string, unknown>, endpointId: string): Promise<GatewayAnswer> {
    return this.#post(method, params, endpointId, this.#record.token)
  }

  async #post(
    method: string,
    params: Record<string, unknown>,
    endpointId: string,
    token: string,
  ): Promise<GatewayAnswer> {
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          [`${META}protocolVersion`]: PROTOCOL,
          [`${META}clientCapabilities`]: {},
          [`${META}clientInfo`]: { name: 'tooldex', version: this.#version },
        },
      },
    }
    const response = await this.#fetch(`${this.#record.url}/${encodeURIComponent(endpointId)}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        'mcp-protocol-version': PROTOCOL,
        'mcp-method': method,
        ...(typeof params['name'] === 'string' && { 'mcp-name': params['name'] }),
      },
      body: JSON.stringify(body),
    })
    return readAnswer(response.headers.get('content-type') ?? '', await response.text(), response.status)
  }
}

/** The gateway of the run record, if it answers. */
export async function findRunningGateway(
  runRecordPath: string,
  fetcher: typeof fetch,
  version: string,
): Promise<RunningGateway | undefined> {
  const record = readRecord(runRecordPath)
  if (record === undefined || (await isGone(record))) return undefined
  try {
    const response = await fetcher(`${record.url}/healthz`, { signal: AbortSignal.timeout(ALIVE_MS) })
    await response.body?.cancel()
    return response.ok ? new RunningGateway(record, fetcher, version) : undefined
  } catch {
    return undefined
  }
}

function readAnswer(contentType: string, text: string, status: number): GatewayAnswer {
  const messages = contentType.includes('text/event-stream')
    ? text.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
    : [text]
  for (const message of messages) {
    const answer = parseObject(message)
    if (answer === undefined) continue
    if (isRecord(answer['result'])) return { result: answer['result'] }
    if (isRecord(answer['error'])) return { error: readError(answer['error']) }
  }
  return { error: { code: 'INTERNAL', message: `The gateway answered with status ${status} and nothing to read` } }
}

function readError(error: Readonly<Record<string, unknown>>): { code: string; message: string } {
  const data = isRecord(error['data']) ? error['data'] : {}
  const code = typeof data['code'] === 'string' ? data['code'] : 'INTERNAL'
  return { code, message: typeof error['message'] === 'string' ? error['message'] : code }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The record of a running gateway, in its data folder, which only the owner may read. */
export interface RunRecord {
  readonly pid: number
  /** Without a path: `http://127.0.0.1:7420`. */
  readonly url: string
  readonly version: string
  readonly startedAt: number
  /** The start time of the process, as the process table gives it: process ids are used again. Absent in older records. */
  readonly start?: string
  /** Its configuration file, null without one; absent if it does not matter. */
  readonly config?: string | null
  /** The `databaseMark` of its database; absent in older records. */
  readonly database?: string
  /** A token for the owner's commands, valid while the gateway runs. */
  readonly token: string
}

/** Identifies a database by a hash, because its URL may contain a password. */
export function databaseMark(url: string | undefined): string {
  return url === undefined ? 'sqlite' : createHash('sha256').update(url).digest('hex').slice(0, 16)
}

function readRecord(path: string): RunRecord | undefined {
  const record = readJson(path)
  return isRunRecord(record) ? record : undefined
}

const processes = systemProcessTable(process.platform)

/** The start time of this process, for its record. */
export async function ownStart(): Promise<string | undefined> {
  return (await processes.row(process.pid))?.start
}

/** Whether the process of a record has ended, even if another one has its number now. */
async function isGone({ pid, start }: RunRecord): Promise<boolean> {
  const row = await processes.row(pid)
  return row === undefined || (start !== undefined && row.start !== start)
}

/** @throws GatewayError ALREADY_RUNNING if another gateway runs on the data folder */
export async function checkNoOther(path: string, fetcher: typeof fetch): Promise<void> {
  const record = readRecord(path)
  if (record === undefined || (await isGone(record)) || record.pid === process.pid) return
  // An older record does not identify its process, so that the gateway has to answer.
  if (record.start === undefined && (await findRunningGateway(path, fetcher, '')) === undefined) return
  throw new GatewayError('ALREADY_RUNNING', {
    pid: record.pid,
    url: record.url,
    reason: `process ${record.pid} serves it at ${record.url}`,
    remedy: 'Use that one, stop it first, or choose another folder with --data',
  })
}

/**
 * Writes the record of this gateway. Never replaces that of another gateway that runs.
 * @throws GatewayError ALREADY_RUNNING
 */
export async function claimRunRecord(path: string, record: RunRecord, fetcher: typeof fetch): Promise<void> {
  const temporary = `${path}.${process.pid}.new`
  writePrivateJson(temporary, record)
  try {
    await checkNoOther(path, fetcher)
    // What is there belongs to a gateway that has ended.
    rmSync(path, { force: true })
    linkSync(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    // Another gateway was faster.
    await checkNoOther(path, fetcher)
    throw error
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Removes the record of this gateway, and no other. */
export function removeRunRecord(path: string, token: string): void {
  if (readRecord(path)?.token === token) rmSync(path, { force: true })
}

function isRunRecord(value: unknown): value is RunRecord {
  if (typeof value !== 'object' || value === null) return false
  const { pid, url, token } = value as Partial<Record<keyof RunRecord, unknown>>
  return Number.isInteger(pid) && typeof url === 'string' && typeof token === 'string'
}
