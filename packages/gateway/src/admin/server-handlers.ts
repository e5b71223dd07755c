import type { AdminServer } from '@tooldex/contract/admin'
import { GatewayError } from '../errors.ts'
import type { Server } from '../servers/server.ts'
import { eventStream } from './event-stream.ts'
import type { Handlers } from './handlers.ts'
import type { AdminPicture } from './picture.ts'
import { previewPasted } from './preview-pasted.ts'
import { serverAnswer, serverToolsAnswer } from './server-answers.ts'
import { ServerChanges } from './server-changes.ts'

const LOG_POLL_MS = 500

/** Routes about servers. */
export function serverHandlers(picture: AdminPicture) {
  const changes = new ServerChanges(picture.administration)
  const one = (id: string): AdminServer => serverAnswer(picture.entries.server(id), picture)
  const all = () => ({ items: picture.entries.servers().map((server) => serverAnswer(server, picture)) })
  return {
    listServers: all,
    getServer: ({ params }) => one(params.server),
    createServer: async ({ body }) => {
      await changes.create(body)
      return one(body.id)
    },
    previewServers: ({ body }) => previewPasted(body.text, picture.entries),
    changeServer: async ({ params, body, revision }) => {
      await changes.change(params.server, body, revision)
      return one(params.server)
    },
    orderServers: async ({ body }) => {
      await changes.order(body.servers)
      return all()
    },
    removeServer: async ({ params, revision }) => {
      const removal = await changes.remove(params.server, revision)
      await picture.parts.store.logins.remove(params.server)
      return removal
    },
    enableServer: async ({ params }) => {
      await changes.enable(params.server, true)
      return one(params.server)
    },
    disableServer: async ({ params }) => {
      await changes.enable(params.server, false)
      return one(params.server)
    },
    restartServer: async ({ params }) => {
      await runningServer(params.server, picture).restart()
      return one(params.server)
    },
    serverLogs: ({ params, query, request }) => {
      picture.entries.server(params.server)
      const lines = () => picture.parts.live?.pool.get(params.server)?.logs() ?? []
      if (request.headers.get('accept')?.includes('text/event-stream') === true) {
        return followedLogs(lines, query.lines, request.signal)
      }
      return {
        items: lines()
          .slice(-query.lines)
          .map(({ at, line }) => ({ at, line })),
      }
    },
    serverTools: ({ params }) => serverToolsAnswer(params.server, picture),
    loginServer: async ({ params }) => {
      picture.entries.server(params.server)
      const { logins, pool } = picture.live
      const loginUrl = (await logins?.begin(params.server)) ?? pool.get(params.server)?.status().loginUrl
      if (loginUrl !== undefined) return { loginUrl }
      throw new GatewayError('LOGIN_NOT_NEEDED', { server: params.server, remedy: 'See its status' })
    },
    logoutServer: async ({ params }) => {
      picture.entries.server(params.server)
      if (picture.parts.live?.logins === undefined) await picture.parts.store.logins.remove(params.server)
      else await picture.parts.live.logins.forget(params.server)
      return undefined
    },
  } satisfies Partial<Handlers>
}

/** @throws GatewayError SERVER_NOT_FOUND, NOT_RUNNING, SERVER_STOPPED */
function runningServer(id: string, picture: AdminPicture): Server {
  picture.entries.server(id)
  const server = picture.live.pool.get(id)
  if (server?.definition.enabled === true) return server
  throw new GatewayError('SERVER_STOPPED', { server: id, reason: 'it is disabled', remedy: 'Enable it' })
}

type Lines = readonly { readonly at: number; readonly line: string }[]

/** Lines are kept, not told: what is new since the last look is sent. */
function followedLogs(lines: () => Lines, first: number, signal: AbortSignal): Response {
  return eventStream(signal, (send) => {
    let last: Lines[number] | undefined
    const sendNew = (most: number): void => {
      const all = lines()
      const from = last === undefined ? Math.max(0, all.length - most) : all.lastIndexOf(last) + 1
      for (const { at, line } of all.slice(from)) send('line', { at, line })
      last = all.at(-1) ?? last
    }
    sendNew(first)
    const timer = setInterval(() => sendNew(Number.POSITIVE_INFINITY), LOG_POLL_MS).unref()
    return () => clearInterval(timer)
  })
}
