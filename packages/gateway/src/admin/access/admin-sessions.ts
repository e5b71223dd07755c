import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { hashToken, hasExpired } from '../../access/tokens.ts'
import type { ReplicaRepository } from '../../model/replicas.ts'
import type { StoredToken } from '../../model/stored-state.ts'
import type { StoredTokens } from '../../model/stored-tokens.ts'
import { type AdminCaller, roleOf } from './admin-caller.ts'

const SESSION_MS = 12 * 60 * 60 * 1_000
const CODE_MS = 10 * 60 * 1_000
/** How long a sign-in counts as a fresh proof. */
const FRESH_MS = 5 * 60 * 1_000
/** How far the clocks of replicas may differ. A ticket from further ahead was issued before the clock was set back. */
const CLOCK_DIFFERENCE_MS = 60_000
const MOST_CODES = 100
const MOST_ENDED = 10_000
/** How long a request waits for the database to say whether its session was signed out. */
const LONGEST_WAIT_MS = 1_000

/** The name of the session cookie. */
export const SESSION_COOKIE = 'tooldex_session'

interface Ticket {
  readonly tokenId: string
  readonly issuedAt: number
  readonly expiresAt: number
  /** Identifies one session of a token, so that it can be ended alone. */
  readonly nonce: string
}

/** The dependencies of {@link AdminSessions}. */
export interface SessionParts {
  /** The current admin tokens. */
  readonly tokens: () => StoredTokens
  /** The key that signs sessions. It must not be in the database, whose readers could sign sessions with it. */
  readonly key: () => Buffer
  /** A clock that never goes back, in epoch milliseconds. */
  readonly now: () => number
  /** What all replicas know of sessions that were signed out; without it, only this process knows. */
  readonly ended?: Pick<ReplicaRepository, 'find' | 'end'>
}

/** A new session: the ticket goes into a cookie, the page secret into the memory of the console's origin. */
export interface NewSession {
  readonly ticket: string
  readonly pageSecret: string
  readonly caller: AdminCaller
}

/**
 * Browser sessions. A session is a signed ticket: it ends with its token, survives a restart, is valid on every replica with
 * the same secret key and needs no storage until it is signed out. Browsers send cookies to every port of a host, so the ticket alone proves
 * nothing: each request also shows the page secret, which only pages of the gateway's own origin can read.
 */
export class AdminSessions {
  readonly #parts: SessionParts
  /** Signs the sessions that a one-time code started; they end with the process. */
  readonly #ownKey = randomBytes(32)
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

  /** Exchanges a code for a session; `undefined` for a code that is unknown, used or expired. */
  beginWithCode(code: string): NewSession | undefined {
    const expiresAt = this.#codes.get(code)
    this.#codes.delete(code)
    if (expiresAt === undefined || expiresAt <= this.#parts.now()) return undefined
    return this.#begin('local', Number.POSITIVE_INFINITY)
  }

  /** Begins a session with the secret of an admin token; `undefined` if it is not valid. */
  beginWithToken(secret: string): NewSession | undefined {
    const hash = hashToken(secret)
    const token = this.#parts.tokens().withHash(hash)
    if (token?.kind !== 'admin' || hasExpired(token, this.#parts.now())) return undefined
    return this.#begin(token.id, token.expiresAt ?? Number.POSITIVE_INFINITY)
  }

  /** The caller that a ticket and a page secret belong to; `undefined` for forged, expired and stolen ones. */
  callerOf(ticket: string, pageSecret: string): AdminCaller | undefined {
    const session = this.#open(ticket)
    return session !== undefined && isSame(session.pageSecret, pageSecret) ? session.caller : undefined
  }

  /** Ends a session; no replica accepts its ticket again. */
  async end(ticket: string): Promise<void> {
    const session = this.#open(ticket)
    if (session === undefined) return
    this.#noteEnd(session.read)
    const until = session.read.expiresAt + CLOCK_DIFFERENCE_MS
    // A browser signs out while the database is away, too.
    await this.#parts.ended?.end(subjectOf(session.read), until).catch(() => undefined)
  }

  /** Learns whether a session was signed out through another replica, or before a restart. While the database is away, it was not. */
  async checkEnd(ticket: string): Promise<void> {
    const session = this.#open(ticket)
    if (session === undefined) return
    const asked = this.#parts.ended?.find(subjectOf(session.read)).catch(() => undefined)
    const known = await Promise.race([asked, delay(LONGEST_WAIT_MS, undefined, { ref: false })])
    if (known?.hasEnded === true) this.#noteEnd(session.read)
  }

  #noteEnd({ nonce, expiresAt }: Ticket): void {
    this.#ended.set(nonce, expiresAt)
    evictOldest(this.#ended, MOST_ENDED)
  }

  #begin(tokenId: string, tokenExpiresAt: number): NewSession | undefined {
    const key = this.#keyOf(tokenId)
    if (key === undefined) return undefined
    const issuedAt = this.#parts.now()
    const expiresAt = Math.min(issuedAt + SESSION_MS, tokenExpiresAt)
    const read: Ticket = { tokenId, issuedAt, expiresAt, nonce: randomBytes(16).toString('base64url') }
    const payload = Buffer.from(JSON.stringify(read)).toString('base64url')
    const ticket = `${payload}.${sign('ticket', payload, key)}`
    const session = this.#open(ticket)
    return session && { ticket, pageSecret: session.pageSecret, caller: session.caller }
  }

  #open(
    ticket: string,
  ): { readonly read: Ticket; readonly pageSecret: string; readonly caller: AdminCaller } | undefined {
    const [payload = '', signature = ''] = ticket.split('.')
    const read = readTicket(payload)
    const key = read && this.#keyOf(read.tokenId)
    if (read === undefined || key === undefined || !isSame(sign('ticket', payload, key), signature)) return undefined
    const now = this.#parts.now()
    if (this.#ended.has(read.nonce) || read.expiresAt <= now || read.issuedAt > now + CLOCK_DIFFERENCE_MS) {
      return undefined
    }
    const token = this.#tokenWith(read.tokenId)
    if (token !== undefined && hasExpired(token, now)) return undefined
    const caller: AdminCaller = {
      tokenId: read.tokenId,
      name: token?.name ?? 'local',
      // The token of now: a role that was lowered since the sign-in is lowered here.
      role: token === undefined ? 'administrator' : roleOf(token),
      via: 'session',
      isFresh: now - read.issuedAt < FRESH_MS,
      expiresAt: read.expiresAt,
    }
    return { read, pageSecret: sign('page', payload, key), caller }
  }

  #tokenWith(id: string): StoredToken | undefined {
    const token = this.#parts.tokens().get(id)
    return token?.kind === 'admin' ? token : undefined
  }

  /** The key of the sessions of a token. The hash is part of it, so that sessions end with the secret of the token. */
  #keyOf(tokenId: string): Buffer | undefined {
    if (tokenId === 'local') return this.#ownKey
    const token = this.#tokenWith(tokenId)
    return token && createHmac('sha256', this.#parts.key()).update(`tooldex session ${token.id} ${token.hash}`).digest()
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

const subjectOf = ({ nonce }: Ticket): string => `console session ${nonce}`

function sign(what: 'ticket' | 'page', payload: string, key: Buffer): string {
  return createHmac('sha256', key).update(`${what} ${payload}`).digest('base64url')
}

/** Compares in constant time, whatever the lengths. */
function isSame(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => createHash('sha256').update(text).digest())
  return one !== undefined && other !== undefined && timingSafeEqual(one, other)
}

function readTicket(payload: string): Ticket | undefined {
  try {
    const ticket = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Partial<Ticket> | null
    const { tokenId, issuedAt, expiresAt, nonce } = ticket ?? {}
    if (typeof tokenId !== 'string' || typeof nonce !== 'string') return undefined
    if (typeof issuedAt !== 'number' || typeof expiresAt !== 'number') return undefined
    return { tokenId, issuedAt, expiresAt, nonce }
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
