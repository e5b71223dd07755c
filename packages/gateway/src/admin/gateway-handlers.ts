import { adminOpenApi } from '@tooldex/contract/admin'
import { auditExport, auditPage, auditSums, entryAnswer, filterOf, fits } from './audit-answers.ts'
import { ticketIn } from './admin-sessions.ts'
import { changeEvents } from './change-events.ts'
import { eventStream } from './event-stream.ts'
import type { Handlers } from './handlers.ts'
import { overview } from './overview-answers.ts'
import { namesNow } from './names-now.ts'
import { OncePerState } from './once-per-state.ts'
import { type AdminPicture, notRunning } from './picture.ts'
import type { listedFor } from './project-preview.ts'
import { savings } from './savings-answers.ts'
import { changeSettings, settingsAnswer } from './settings.ts'
import { endedCookie, sessionOf, signIn } from './sign-in.ts'

/** Routes about the audit, the gateway as a whole and sessions. */
export function gatewayHandlers(picture: AdminPicture) {
  const { parts } = picture
  const lists = new OncePerState<ReturnType<typeof listedFor>>()
  const settings = () => settingsAnswer(parts.store.current(), parts.auditLimits)
  return {
    listAudit: ({ query }) => auditPage(query, parts.store.audit, namesNow(picture)),
    exportAudit: ({ query, request }) => auditExport(query, parts.store.audit, namesNow(picture), request.signal),
    sumAudit: ({ query }) => auditSums(query, parts.store.audit, parts.now()),
    followAudit: ({ query, request }) => {
      const filter = filterOf(query)
      const { auditFeed } = picture.live
      return eventStream(request.signal, (send) =>
        auditFeed.onEntry((entry) => fits(entry, filter) && send('entry', entryAnswer(entry, namesNow(picture)))),
      )
    },
    getOverview: () => overview(picture),
    getSavings: () => savings(picture, lists),
    getHealth: async () => {
      const { kind, place, ok, problems, schemaVersion, latestBackupAt } = await parts.store.check()
      const backup = latestBackupAt === undefined ? {} : { latestBackupAt }
      const store = { kind, place, ok, problems: [...problems], schemaVersion, ...backup }
      return { status: ok ? 'ok' : 'degraded', version: parts.version, store }
    },
    getSettings: settings,
    changeSettings: async ({ body }) => {
      await changeSettings(body, picture.administration)
      return settings()
    },
    followEvents: ({ request }) => eventStream(request.signal, (send) => changeEvents(parts, send)),
    getOpenApi: () => ({ ...adminOpenApi(parts.version) }),
    ...sessionHandlers(picture),
  } satisfies Partial<Handlers>
}

function sessionHandlers({ parts }: AdminPicture) {
  const { sessions, store } = parts
  return {
    signIn: ({ body, request: { headers } }) => {
      const { tokens } = store.current()
      const { session, cookie } = signIn(body, sessions, { tokens, headers, now: parts.now() })
      return Response.json(session, { headers: { 'set-cookie': cookie } })
    },
    getSession: ({ caller }) => sessionOf(caller),
    signOut: ({ request: { headers } }) => {
      const ticket = ticketIn(headers.get('cookie'))
      if (ticket !== undefined) sessions.end(ticket)
      return new Response(null, { status: 204, headers: { 'set-cookie': endedCookie(headers) } })
    },
    createSignInCode: () => {
      // A code is good at the gateway that made it.
      if (parts.live === undefined) throw notRunning()
      return { ...sessions.createCode() }
    },
  } satisfies Partial<Handlers>
}
