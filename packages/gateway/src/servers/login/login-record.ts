import { createHash, timingSafeEqual } from 'node:crypto'
import type { OAuthDiscoveryState, OAuthTokens } from '@modelcontextprotocol/client'

/** What is kept of the login at a server. Everything in it is secret. */
export interface LoginRecord {
  /** Whom the login is for: a server that moved, or is configured otherwise, does not get it. */
  readonly bond: string
  readonly discovery?: OAuthDiscoveryState
  readonly client?: RegisteredClient
  readonly tokens?: KeptTokens
  readonly pending?: PendingLogin
}

/** How we are known at an authorization server. */
export interface RegisteredClient {
  readonly issuer: string
  /** The address that was registered; another one needs another registration. */
  readonly redirectUri: string
  readonly clientId: string
  readonly clientSecret?: string
}

/** Tokens, and when they end. */
export interface KeptTokens extends OAuthTokens {
  readonly issuer: string
  readonly obtainedAt: number
  /** Absent where the authorization server does not say. */
  readonly expiresAt?: number
}

/** A login that a person may be about to finish. */
export interface PendingLogin {
  readonly stateHash: string
  readonly codeVerifier: string
  readonly redirectUri: string
  readonly url: string
  readonly expiresAt: number
}

/** A new one is due this long before a token ends, or a fifth of its life where that is short. */
const RENEW_BEFORE_MS = 60_000

/** The record that was kept for this server, or a new one. */
export function readRecord(kept: Readonly<Record<string, unknown>> | undefined, bond: string): LoginRecord {
  return kept?.['bond'] === bond ? (kept as unknown as LoginRecord) : { bond }
}

/** Ties a login to what it was made for. */
export function bondOf(parts: readonly (string | undefined)[]): string {
  return sha256(JSON.stringify(parts.map((part) => part ?? null)))
}

/** Tokens as they are kept. */
export function keepTokens(tokens: OAuthTokens, issuer: string, now: number): KeptTokens {
  const seconds = Number(tokens.expires_in)
  const isKnown = tokens.expires_in !== undefined && Number.isFinite(seconds)
  return { ...tokens, issuer, obtainedAt: now, ...(isKnown && { expiresAt: now + seconds * 1_000 }) }
}

/** Whether new tokens should be asked for. */
export function areDue({ obtainedAt, expiresAt }: KeptTokens, now: number): boolean {
  if (expiresAt === undefined) return false
  return now >= expiresAt - Math.min(RENEW_BEFORE_MS, (expiresAt - obtainedAt) / 5)
}

/** Whether tokens have ended. */
export function areOver({ expiresAt }: KeptTokens, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt
}

/** The hash under which a state is kept: whoever reads the store cannot finish a login with it. */
export function stateHashOf(state: string): string {
  return sha256(state)
}

/** Compares without telling how much of it was right. */
export function isSameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
