import type { IncomingMessage, ServerResponse } from 'node:http'
import { LoginFailure } from './login-record.ts'
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

/** Answers what lies below `/oauth`: the page that a person sees after a login. False for anything else. */
export function callbackPage(logins: Pick<ServerLogins, 'finish'>) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<boolean> => {
    const url = new URL(req.url ?? '/', 'http://gateway')
    if (url.pathname !== CALLBACK_PATH || req.method !== 'GET') return false
    try {
      const server = await logins.finish(url.searchParams)
      show(res, 200, 'Logged in', `Tooldex can use “${server}” now. You can close this page.`)
    } catch (error) {
      const reason = error instanceof LoginFailure ? error.message : 'something went wrong in the gateway'
      show(res, 400, 'Not logged in', `The login did not work: ${reason}.`)
    }
    return true
  }
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
