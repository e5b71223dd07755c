import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { StoredToken } from '../../model/stored-state.ts'
import type { AdminCaller } from './admin-caller.ts'

const SESSION_MS = 12 * 60 * 60 * 1_000
const CODE_MS = 10 * 60 * 1_000
const MOST_CODES = 100
const MOST_ENDED = 10_000

/** The name of the session cookie. */
export const SESSION_COOKIE = 'tooldex_session'

interface Ticket {
  readonly tokenId: string
  readonly expiresAt: number
  /** Identifies one session of a token, so that it can be ended alone. */
  readonly nonce: string
}

/** The dependencies of {@link AdminSessions}. */
export interface SessionParts {
  /** The current admin tokens. */
  readonly tokens: () => readonly StoredToken[]
  readonly now: () => number
}

/**
 * Browser sessions. A session is a ticket signed with the hash of its admin token: it ends with the token, survives a
 * restart, is valid on every replica and needs no storage.
 */
export class AdminSessions {
  readonly #parts: SessionParts
  /** Signs the sessions that a one-time code started; they end with the process. */
  readonly #ownKey = randomBytes(32).toString('hex')
  readonly #codes = new Map<string, number>()
  readonly #ended = new Map<string, number>()

  constructor(parts: SessionParts) {
    this.#parts = parts
  }

  /** Creates a code that signs in once, within ten minutes. */
  createCode(): { readonly code: string; readonly expiresAt: number } {
    const code = randomBytes(24).toString('base64url')
    const expiresAt = this.#parts.now() + CODE_MS
    this.#codes.set(code, expiresAt)
    evictOldest(this.#codes, MOST_CODES)
    return { code, expiresAt }
  }

  /** Exchanges a code for a ticket; `undefined` for a code that is unknown, used or expired. */
  ticketForCode(code: string): string | undefined {
    const expiresAt = this.#codes.get(code)
    this.#codes.delete(code)
    if (expiresAt === undefined || expiresAt <= this.#parts.now()) return undefined
    return this.#issue('local', this.#ownKey)
  }

  /** Creates a ticket for an admin token. */
  ticketForToken({ id, hash, expiresAt }: StoredToken): string {
    return this.#issue(id, hash, expiresAt)
  }

  /** The caller that a ticket belongs to; `undefined` for a forged or expired ticket. */
  callerOf(ticket: string): AdminCaller | undefined {
    const [payload = '', signature = ''] = ticket.split('.')
    const read = readTicket(payload)
    if (read === undefined || read.expiresAt <= this.#parts.now() || this.#ended.has(read.nonce)) return undefined
    const token = this.#parts.tokens().find(({ id, kind }) => kind === 'admin' && id === read.tokenId)
    const key = read.tokenId === 'local' ? this.#ownKey : token?.hash
    if (key === undefined || !isSame(sign(payload, key), signature)) return undefined
    if (token?.expiresAt !== undefined && token.expiresAt <= this.#parts.now()) return undefined
    return { tokenId: read.tokenId, name: token?.name ?? 'local', via: 'session', expiresAt: read.expiresAt }
  }

  /** Ends a session; its ticket is never accepted again. */
  end(ticket: string): void {
    const read = readTicket(ticket.split('.')[0] ?? '')
    if (read === undefined || this.callerOf(ticket) === undefined) return
    this.#ended.set(read.nonce, read.expiresAt)
    evictOldest(this.#ended, MOST_ENDED)
  }

  #issue(tokenId: string, key: string, tokenExpiresAt = Number.POSITIVE_INFINITY): string {
    const expiresAt = Math.min(this.#parts.now() + SESSION_MS, tokenExpiresAt)
    const ticket: Ticket = { tokenId, expiresAt, nonce: randomBytes(16).toString('base64url') }
    const payload = Buffer.from(JSON.stringify(ticket)).toString('base64url')
    return `${payload}.${sign(payload, key)}`
  }
}

/** The ticket in a `Cookie` header. */
export function ticketIn(cookies: string | null): string | undefined {
  for (const part of (cookies ?? '').split(';')) {
    const [name, value] = part.trim().split('=')
    if (name === SESSION_COOKIE && value !== undefined && value !== '') return value
  }
  return undefined
}

function sign(payload: string, key: string): string {
  return createHmac('sha256', key).update(`tooldex session ${payload}`).digest('base64url')
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function readTicket(payload: string): Ticket | undefined {
  try {
    const ticket = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Partial<Ticket> | null
    const { tokenId, expiresAt, nonce } = ticket ?? {}
    const isWhole = typeof tokenId === 'string' && typeof expiresAt === 'number' && typeof nonce === 'string'
    return isWhole ? { tokenId, expiresAt, nonce } : undefined
  } catch {
    return undefined
  }
}

function evictOldest(entries: Map<string, number>, most: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= most) return
    entries.delete(oldest)
  }
}
