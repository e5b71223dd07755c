import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LoginFailure } from './login-record.ts'
import { BEGIN_PATH } from './server-login.ts'
import type { ServerLogins } from './server-logins.ts'

/** Where authorization servers send people back to. */
export const CALLBACK_PATH = '/oauth/callback'

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** As long as a login can be finished. */
const COOKIE_SECONDS = 600

/**
 * Answers what lies below `/oauth`: the page that begins a login and the one that a person sees after it. The first one gives
 * the browser a secret, and only the browser with that secret can finish: a link or an answer in other hands is of no use.
 * False for anything else.
 */
export function loginPages(logins: Pick<ServerLogins, 'open' | 'finish'>) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<boolean> => {
    const url = new URL(req.url ?? '/', 'http://gateway')
    if (req.method !== 'GET' || (url.pathname !== CALLBACK_PATH && url.pathname !== BEGIN_PATH)) return false
    try {
      if (url.pathname === BEGIN_PATH) await begin(url, res, logins)
      else await finish(url, req, res, logins)
    } catch (error) {
      const reason = error instanceof LoginFailure ? error.message : 'something went wrong in the gateway'
      show(res, 400, 'Not logged in', `The login did not work: ${reason}.`)
    }
    return true
  }
}

async function begin(url: URL, res: ServerResponse, logins: Pick<ServerLogins, 'open'>): Promise<void> {
  const named = url.searchParams.getAll('login')
  const { url: location, browser, isSecure } = await logins.open(named)
  const serverId = Buffer.from(named[0]?.split('.')[0] ?? '', 'base64url').toString()
  // Lax: the authorization server, another site, sends the browser back.
  const flags = `Path=/oauth; HttpOnly; SameSite=Lax; Max-Age=${COOKIE_SECONDS}${isSecure ? '; Secure' : ''}`
  const cookie = `${cookieOf(serverId)}=${browser}; ${flags}`
  res.writeHead(302, { ...HEADERS, location, 'set-cookie': cookie }).end()
}

async function finish(
  url: URL,
  { headers }: IncomingMessage,
  res: ServerResponse,
  logins: Pick<ServerLogins, 'finish'>,
): Promise<void> {
  const cookies = new Map((headers.cookie ?? '').split(';').map((each) => splitAtFirst(each.trim(), '=')))
  const server = await logins.finish(url.searchParams, (serverId) => cookies.get(cookieOf(serverId)) ?? '')
  show(res, 200, 'Logged in', `Tooldex can use “${server}” now. You can close this page.`)
}

/** One cookie for each server, so that a browser can log in to several at the same time. */
function cookieOf(serverId: string): string {
  return `tooldex_login_${createHash('sha256').update(serverId).digest('hex').slice(0, 16)}`
}

function splitAtFirst(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

function show(res: ServerResponse, status: number, title: string, text: string): void {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title>
<h1>${escaped(title)}</h1><p>${escaped(text)}</p></html>
`
  res.writeHead(status, HEADERS).end(page)
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
