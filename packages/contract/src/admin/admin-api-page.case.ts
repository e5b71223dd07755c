// docs/reference/admin-api.md, generated from the routes.
import { z } from 'zod'
import { isMediaTypes } from './openapi.ts'
import { ADMIN_BASE } from './names.ts'
import type { AdminRoute } from './parts.ts'
import { roleNeeded } from './roles.ts'
import { type AdminRouteId, adminRoutes } from './routes.ts'

const HEAD = `# Admin API

<!-- Generated from the routes in packages/contract/src/admin by \`npx vitest run packages/contract -u\`. -->

The functions of the console and the command line over HTTP, below \`${ADMIN_BASE}\`. \`GET ${ADMIN_BASE}/openapi.json\` is the same as
an OpenAPI 3.1 document.

\`\`\`sh
curl -H "Authorization: Bearer $TOOLDEX_ADMIN_TOKEN" http://127.0.0.1:7420${ADMIN_BASE}/servers
\`\`\`

- **Access.** An admin token (\`tdxa_…\`), in the header \`Authorization: Bearer\`, or the cookie that \`POST /session\` sets. Client tokens
  (\`tdx_…\`) open endpoints and never this API (403); admin tokens open this API and no endpoint. With the cookie, every
  request needs the \`pageSecret\` of the sign-in in the header \`X-Tooldex-Console\`, and every change an \`Origin\` that is the gateway
  itself: browsers send cookies to every port of a host.
- **Roles.** An admin token has a role, and each operation below names the least one that it needs: a \`reader\` sees everything but
  secrets, an \`operator\` also restarts, starts and stops servers, decides about held changes and tries tools, an \`administrator\` does
  everything. A token with a lesser role is answered 403 \`ROLE_REQUIRED\`; \`details\` has its \`role\` and the one \`needed\`. A changed
  role is in force with the next request, in open sessions too.
- **Fresh proof.** A session older than five minutes cannot add or change a program that runs on this machine, send a
  server behind a URL a reference to its environment or files, create an admin
  token, raise its role, create a one-time code or read secrets out (403 \`FRESH_PROOF_REQUIRED\`). Sign in again, or send the admin token in the header \`Authorization\`.
- **Two sources.** Entries of the configuration file have \`managedBy: "file"\` and are changed in the file (409
  \`FILE_MANAGED\`). All others are kept in the store.
- **Changes** take effect before they are answered, and affected clients are notified. The whole resulting configuration is
  checked first: the API never stores an entry that would be invalid in the file. Keys that are not given stay as they are;
  \`unset\` names those to remove.
- **Concurrent changes.** An entry has a \`revision\` (also its \`ETag\`). If it is sent as \`If-Match\`, a change is refused with 412
  \`REVISION_CONFLICT\` if the entry has changed since.
- **Secrets** are written, never read: values of environment variables and headers, and secrets in arguments and URLs, come back as \`••••\`, and
  \`••••\` sent back keeps the value. The secret of a token is in the answer to its creation only.
- **Failures** are \`application/problem+json\`: match on \`code\` ([all codes](gateway-errors.md)); \`detail\` has the remedy, and
  \`problems\` lists everything that is wrong with a request, with the nearest known key for an unknown one. A refusal that
  concerns a field, such as \`NAME_TAKEN\`, names it there, too.
- **Streams** (\`/events\`, \`/audit/stream\`, logs) and calls that are tried out end within a second after the
  token or session that opened them has become invalid; further requests are answered with 401.
`

/** The whole page. */
export function adminApiPage(): string {
  const routes = Object.entries(adminRoutes) as readonly [AdminRouteId, AdminRoute][]
  const tags = [...new Set(routes.map(([, { tag }]) => tag))]
  const sections = tags.map((tag) => {
    const own = routes.filter(([, route]) => route.tag === tag).map(describeRoute)
    return `\n## ${tag[0]?.toUpperCase()}${tag.slice(1)}\n\n${own.join('\n')}`
  })
  return `${HEAD}${sections.join('')}`
}

function describeRoute([id, route]: readonly [AdminRouteId, AdminRoute]): string {
  const open = route.access === 'open' ? ' Needs no token.' : ''
  const lines = [`### \`${route.method} ${route.path}\``, '', `${route.summary}${open}`, '']
  if (route.access !== 'open') lines.push(`- Role: \`${roleNeeded(id)}\``)
  const query = keysOf(route.query, 'input')
  if (query !== '') lines.push(`- Query: ${query}`)
  const body = route.body === undefined ? '' : keysOf(route.body, 'input') || 'an object'
  if (body !== '') lines.push(`- Body: ${body}`)
  for (const [status, response] of Object.entries(route.responses)) {
    if (response === null) lines.push(`- ${status}, without a body`)
    else if (isMediaTypes(response)) lines.push(`- ${status}: ${response.map((type) => `\`${type}\``).join(', ')}`)
    else lines.push(`- ${status}: ${keysOf(response, 'output') || 'an object'}`)
    if (route.alsoProduces !== undefined) lines.push(`- or ${status}: \`${route.alsoProduces.join(', ')}\``)
  }
  if (route.problems !== undefined) lines.push(`- Problems: ${route.problems.map((code) => `\`${code}\``).join(', ')}`)
  return `${lines.join('\n')}\n`
}

/** The keys of an object, required ones in bold. */
function keysOf(schema: z.ZodType | undefined, io: 'input' | 'output'): string {
  if (schema === undefined) return ''
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return Object.keys(properties)
    .map((key) => (required.includes(key) ? `**\`${key}\`**` : `\`${key}\``))
    .join(', ')
}
