import type { Endpoint } from '../model/endpoint.ts'
import { DEFAULT_ENDPOINT, type GatewayModel } from '../model/gateway-model.ts'
import { LOCAL_PRINCIPAL } from '../config/local-access.ts'
import { resolveSettings } from '../exposure/resolve-settings.ts'
import { TokenEstimate } from '../exposure/token-estimate.ts'
import { connectLines } from '../exposure/connect-snippets.ts'
import type { CommandContext } from './gateway/context.ts'
import type { OpenGateway } from './gateway/open-gateway.ts'
import { renderSearch } from './find.ts'
import { reportServers, type ServerReport } from './gateway/server-states.ts'
import { clean, counted, grouped, pad, paintFor } from './terminal/terminal.ts'

const READY_TIMEOUT_MS = 8_000
const PROGRESS_AFTER_MS = 1_000
const FIRST_SEARCH = 'file a bug'

/** The name of the token for clients that the first start creates. */
export const FIRST_CLIENT = 'first client'

/** Lists are made to count their tokens, so that the screen counts few of them, and none of large catalogs. */
const MOST_SHOWN_ENDPOINTS = 10
const MOST_COUNTED_TOOLS = 2_000

/** The started gateway, and everything that the start screen shows. */
export interface Started {
  readonly model: GatewayModel
  /** Where clients and browsers reach the gateway. */
  readonly url: string
  readonly open: OpenGateway
  readonly shownToken?: string
  readonly adminToken?: string
  readonly notes: readonly string[]
  readonly configFile?: string
  readonly options: { readonly demo?: boolean; readonly json?: boolean }
  /** Called before the screen is printed: a command that is typed when it is there finds what it shows. */
  readonly onReady: () => void
}

/** An endpoint on the start screen. */
interface EndpointFacts {
  readonly id: string
  readonly url: string
  readonly project: string
  readonly exposure: string
  readonly strategy: string | null
  /** Tokens of its tool list; absent where the list failed or was not counted. */
  readonly tokens?: number
}

/** Prints the start screen (servers, token costs, how to connect) once the servers are ready or timed out. */
export async function showStart(started: Started, context: CommandContext): Promise<void> {
  const { gateway } = started.open
  await waitForServers(started, context)
  started.onReady()
  const estimate = new TokenEstimate()
  const snapshot = gateway.catalog.snapshot()
  const facts = {
    version: context.version,
    pid: process.pid,
    servers: reportServers(gateway).map(({ id, state, tools, toolsUnknown }) => ({
      ...{ id, state, tools },
      ...(toolsUnknown !== undefined && { toolsUnknown }),
    })),
    tools: snapshot.tools.size,
    ...(snapshot.tools.size <= MOST_COUNTED_TOOLS && {
      tokensIfListed: estimate.ofListing([...snapshot.tools.values()].map(({ definition }) => definition)),
    }),
    endpoints: endpointFacts(started, estimate),
  }
  if (started.options.json === true) {
    const { shownToken, adminToken } = started
    const token = shownToken === undefined ? {} : { token: shownToken }
    const admin = adminToken === undefined ? {} : { adminToken }
    context.terminal.out(`${JSON.stringify({ ...facts, ...token, ...admin })}\n`)
    return
  }
  const parts = [headOf(facts, started, context)]
  if (started.options.demo === true) parts.push(await firstSearch(started, facts.tools, context))
  const url = facts.endpoints[0]?.url
  if (started.shownToken !== undefined && url !== undefined) parts.push(connectPart(url, started.shownToken, context))
  context.terminal.out(`\n${parts.join('\n\n')}\n\n`)
}

/** Waits until the servers are ready; prints a progress line if that takes longer. */
async function waitForServers({ open, options }: Started, { terminal }: CommandContext): Promise<void> {
  const { catalog, pool } = open.gateway
  const eager = pool.all().filter(({ definition }) => definition.enabled && definition.start === 'eager').length
  const timer = setTimeout(() => {
    if (options.json !== true) terminal.err(`  starting ${counted(eager, 'server')} …\n`)
  }, PROGRESS_AFTER_MS)
  await catalog.ready(READY_TIMEOUT_MS).finally(() => clearTimeout(timer))
}

function endpointFacts({ model, url, open }: Started, estimate: TokenEstimate): EndpointFacts[] {
  const isSmall = open.gateway.catalog.snapshot().tools.size <= MOST_COUNTED_TOOLS
  return [...model.endpoints.values()].map((endpoint, at) => {
    const tools = isSmall && at < MOST_SHOWN_ENDPOINTS ? listAt(endpoint.id, open) : undefined
    return {
      ...settingsOf(endpoint, model),
      url: `${url}/${endpoint.id === DEFAULT_ENDPOINT ? '' : `${endpoint.id}/`}mcp`,
      ...(tools !== undefined && { tokens: estimate.ofListing(tools) }),
    }
  })
}

/** The tool list of an endpoint; undefined if the endpoint was removed in the meantime. */
function listAt(endpointId: string, { gateway }: OpenGateway): readonly object[] | undefined {
  try {
    return gateway.list(endpointId, LOCAL_PRINCIPAL)
  } catch {
    return undefined
  }
}

function settingsOf(endpoint: Endpoint, { projects }: GatewayModel): Omit<EndpointFacts, 'url' | 'tokens'> {
  const project = projects.get(endpoint.projectId)
  const { exposure, strategy } = resolveSettings(endpoint.disclosure, project?.disclosure ?? {})
  return { id: endpoint.id, project: project?.name ?? endpoint.projectId, exposure, strategy }
}

interface HeadFacts {
  readonly version: string
  readonly servers: readonly Pick<ServerReport, 'id' | 'state' | 'tools' | 'toolsUnknown'>[]
  readonly tools: number
  readonly tokensIfListed?: number
  readonly endpoints: readonly EndpointFacts[]
}

function headOf(
  facts: HeadFacts,
  { model, shownToken, adminToken, notes, configFile, open, options, url }: Started,
  { terminal }: CommandContext,
): string {
  const paint = paintFor(terminal)
  const line = (label: string, text: string): string => `  ${paint.dim(label.padEnd(10))} ${text}`
  const failed = open.gateway.pool
    .all()
    .map((server) => server.status())
    .filter(({ state }) => state === 'failed' || state === 'needs-login')
  const code = open.gateway.signInCode()
  const endpoints = facts.endpoints.slice(0, MOST_SHOWN_ENDPOINTS)
  const others = facts.endpoints.length - endpoints.length
  const widest = Math.max(...endpoints.map((endpoint) => endpoint.url.length))
  const lasting =
    options.demo === true ? '(the token "demo")' : `(shown once; valid until "${FIRST_CLIENT}" is revoked)`
  return [
    `  ${paint.bold('Tooldex')} ${facts.version}`,
    '',
    line('servers', serverLine(facts)),
    ...failed.map(({ id, state, lastError }) =>
      line(state, paint.red(clean(`${id}: ${lastError?.message ?? 'unknown reason'}`))),
    ),
    ...facts.servers.flatMap(({ id, toolsUnknown }) =>
      toolsUnknown === undefined
        ? []
        : [line('unknown', paint.red(clean(`${id}: running, tools unknown: ${toolsUnknown}`)))],
    ),
    ...notes.map((note) => line('note', note)),
    ...endpoints.map((endpoint) =>
      line('endpoint', `${pad(endpoint.url, widest)}   ${paint.dim(endpointLine(endpoint))}`),
    ),
    ...(others === 0 ? [] : [line('', paint.dim(`and ${others} more: tooldex endpoint list`))]),
    ...(code === undefined
      ? []
      : [line('console', `${url}/#signin=${code}   ${paint.dim('(signs in once, within 10 minutes)')}`)]),
    ...(shownToken === undefined
      ? earlierToken(model).map((text) => line('token', text))
      : [line('token', `${shownToken}   ${paint.dim(lasting)}`)]),
    ...(adminToken === undefined
      ? []
      : [line('admin', `${adminToken}   ${paint.dim('(shown once; opens the admin API at /api/v1)')}`)]),
    ...(configFile === undefined
      ? []
      : [line('config', `${configFile}   ${paint.dim('(try: tooldex find, call, servers --config …)')}`)]),
  ].join('\n')
}

/** How to get a token, where clients have none or only the first one, whose secret cannot be shown again. */
function earlierToken({ tokens, endpoints }: GatewayModel): string[] {
  if (![...endpoints.values()].some(({ auth }) => auth === 'token')) return []
  const remedy = 'tooldex token create --name <name>'
  if (tokens.size === 0) return [`none yet; create one: ${remedy}`]
  return tokens.size === 1 && [...tokens.values()].every(({ name }) => name === FIRST_CLIENT)
    ? [`"${FIRST_CLIENT}", whose secret was shown at the first start; another one: ${remedy}`]
    : []
}

function serverLine({ servers, tools, tokensIfListed }: HeadFacts): string {
  const inState = (...states: string[]): number => servers.filter(({ state }) => states.includes(state)).length
  const [up, idle, starting] = [inState('running'), inState('idle'), inState('starting')]
  return [
    `${up} up`,
    ...(idle > 0 ? [`${idle} start on demand`] : []),
    ...(starting > 0 ? [`${starting} still starting`] : []),
    counted(tools, 'tool'),
    ...(tokensIfListed === undefined ? [] : [`${grouped(tokensIfListed)} tokens if all were listed`]),
  ].join(' · ')
}

function endpointLine({ project, exposure, strategy, tokens }: EndpointFacts): string {
  const cost = tokens === undefined ? [] : [`${grouped(tokens)} tokens`]
  return [`${clean(project)} project`, exposure, strategy ?? 'search off', ...cost].join(' · ')
}

/** The first search of this gateway, and how long it took. It is not an agent's, so that it is not audited. */
async function firstSearch({ open }: Started, toolCount: number, { terminal }: CommandContext): Promise<string> {
  const options = { principal: LOCAL_PRINCIPAL, endpointId: DEFAULT_ENDPOINT, maxResults: 3, isPreview: true }
  const answer = await open.gateway.find([FIRST_SEARCH], options)
  return renderSearch(FIRST_SEARCH, { ...answer, toolCount }, terminal)
}

function connectPart(url: string, token: string, { terminal }: CommandContext): string {
  const paint = paintFor(terminal)
  const lines = connectLines({ url, token }).map(({ client, text }) => `${paint.dim(client.padEnd(12))} ${text}`)
  return lines.map((text, index) => `  ${paint.dim((index === 0 ? 'connect' : '').padEnd(10))} ${text}`).join('\n')
}
