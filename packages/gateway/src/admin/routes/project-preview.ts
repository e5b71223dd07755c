import type { ProjectPreview, ProjectPreviewAsk } from '@tooldex/contract/admin'
import { MODERN_VERSION } from '../../clients/mcp/protocol-versions.ts'
import { type EndpointView, EndpointViews } from '../../clients/mcp/requests/endpoint-view.ts'
import type { Caller } from '../../clients/mcp/requests/request-handler.ts'
import { mergeConfig, NOTHING_STORED } from '../../config/merge-config.ts'
import { toModel } from '../../config/to-model.ts'
import { listsEverything, listTools } from '../../exposure/list-tools.ts'
import type { Endpoint } from '../../model/endpoint.ts'
import { fixedModelSource, type GatewayModel } from '../../model/gateway-model.ts'
import type { Principal } from '../../model/principal.ts'
import { Draft } from '../changes/draft.ts'
import { atField, InvalidRequest } from '../changes/invalid-request.ts'
import { patched } from '../changes/patch.ts'
import type { AdminContext } from './admin-context.ts'
import { effectiveSettings } from './endpoints.ts'
import { principalLike } from './tokens.ts'

/** The id of a temporary endpoint. */
const PREVIEW_ENDPOINT = 'tooldex-preview'
const MOST_NAMES = 1_000

/** Kinds of clients that see different lists. */
const CLIENTS = [
  { client: '2026-07-28', era: 'modern' },
  { client: 'claude-code', era: 'legacy', name: 'claude-code', version: '2.1.325' },
  { client: 'other', era: 'legacy', name: 'other', version: '1.0.0' },
] as const

/** Previews the lists of clients under settings that are not saved. @throws InvalidRequest */
export function previewProject(id: string, ask: ProjectPreviewAsk, context: AdminContext): ProjectPreview {
  const { token } = ask
  const principal =
    token === undefined ? ALL_TOOLS_PRINCIPAL : principalLike(atField('token', () => context.entries.token(token)))
  const endpointId = ask.endpointId ?? PREVIEW_ENDPOINT
  const model = modelWith(id, endpointId, ask, context)
  const endpoint = model.endpoints.get(endpointId)
  const project = model.projects.get(id)
  if (endpoint === undefined || project === undefined)
    throw new InvalidRequest([{ path: [], message: 'the endpoint cannot be served' }])
  const views = viewsOf(model, context)
  const seen = CLIENTS.map((client) => seenBy(client, endpoint, principal, views, context))
  const view = views.viewOf(callerOf(CLIENTS[0], endpoint, principal))
  return {
    tools: view.tools.size,
    tokensIfAllWereListed: wholeOf(view, seen[0]?.tokens, context),
    settings: effectiveSettings(endpoint.disclosure, project.disclosure),
    clients: seen,
  }
}

/** The list that a modern client gets from an endpoint now. */
export function listedFor(
  endpoint: Endpoint,
  context: AdminContext,
): { readonly exposure: string; readonly tokens: number; readonly whole: number } {
  const views = viewsOf(context.model, context)
  const { exposure, tokens } = seenBy(CLIENTS[0], endpoint, ALL_TOOLS_PRINCIPAL, views, context)
  const view = views.viewOf(callerOf(CLIENTS[0], endpoint, ALL_TOOLS_PRINCIPAL))
  return { exposure, tokens, whole: wholeOf(view, tokens, context) }
}

/** The cost of listing everything; if the endpoint does so already, the cost of its list. */
function wholeOf({ tools, mode, settings }: EndpointView, listed: number | undefined, context: AdminContext): number {
  const isWhole = listed !== undefined && listsEverything({ eligible: tools, mode, settings })
  return isWhole ? listed : context.tokens.ofWhole(tools)
}

const ALL_TOOLS_PRINCIPAL: Principal = Object.freeze({ tokenId: 'preview', name: 'preview', readOnly: false })

type ClientKind = (typeof CLIENTS)[number]

/** Separate views: decisions in a preview must not be cached for real clients. */
function viewsOf(model: GatewayModel, context: AdminContext): EndpointViews {
  const { catalog } = context.live
  return new EndpointViews({ models: fixedModelSource(model), catalog, troubleOf: (id) => context.statusOf(id) })
}

function modelWith(id: string, endpointId: string, ask: ProjectPreviewAsk, context: AdminContext): GatewayModel {
  const { entries, administration, parts } = context
  const project = entries.project(id)
  const known = ask.endpointId === undefined ? undefined : entries.endpoint(ask.endpointId)
  if (known?.managedBy === 'file' || project.managedBy === 'file') return withFileEntries(id, endpointId, ask, context)
  const draft = new Draft(entries.state, parts.now())
  draft.putProject(id, patched(project.config, ask.project ?? {}))
  draft.putEndpoint(endpointId, endpointWith(id, ask, known?.config))
  const problems = administration.check(draft.state)
  const merged = administration.merged(draft.state)
  if (problems.length > 0 || merged === undefined) throw new InvalidRequest(problems)
  // Whatever the token, a preview is made for a principal of its own.
  return toModel(merged.config, { ...merged, stored: NOTHING_STORED })
}

/** A model with changed entries of the file, which can be previewed but not saved. */
function withFileEntries(
  id: string,
  endpointId: string,
  ask: ProjectPreviewAsk,
  { entries, parts }: AdminContext,
): GatewayModel {
  const value = parts.declared().value as Record<string, Record<string, object> | undefined>
  const project = patched(entries.project(id).config, ask.project ?? {})
  const known = ask.endpointId === undefined ? undefined : entries.endpoint(ask.endpointId).config
  const { merged, problems } = mergeConfig(
    {
      ...value,
      projects: { ...value['projects'], [id]: project },
      endpoints: { ...value['endpoints'], [endpointId]: endpointWith(id, ask, known) },
    },
    {
      ...entries.state,
      projects: entries.state.projects.filter((each) => each.id !== id),
      endpoints: entries.state.endpoints.filter((each) => each.id !== endpointId),
    },
  )
  if (merged === undefined) throw new InvalidRequest(problems)
  return toModel(merged.config, { ...merged, stored: NOTHING_STORED })
}

function endpointWith(project: string, ask: ProjectPreviewAsk, known: object = {}) {
  const { auth: _auth, ...patch } = ask.endpoint ?? {}
  return { transparent: false, ...patched(known, patch), project, auth: 'token' as const }
}

function seenBy(
  client: ClientKind,
  endpoint: Endpoint,
  principal: Principal,
  views: EndpointViews,
  context: AdminContext,
): ProjectPreview['clients'][number] {
  const view = views.viewOf(callerOf(client, endpoint, principal))
  const { tools: eligible, mode, settings, dialect, names, modeReason } = view
  const additions = mode === 'limited' && client.era === 'legacy' ? { additions: [] } : {}
  const listed = listTools({ eligible, mode, settings, dialect, names, ...additions })
  return {
    client: client.client,
    exposure: mode,
    reason: modeReason,
    tokens: context.tokens.ofListing(listed),
    names: listed.slice(0, MOST_NAMES).map(({ name }) => name),
    listed: listed.length,
  }
}

function callerOf(client: ClientKind, endpoint: Endpoint, principal: Principal): Caller {
  return {
    principal,
    endpoint,
    era: client.era,
    protocolVersion: client.era === 'modern' ? MODERN_VERSION : '2025-11-25',
    requestId: 'preview',
    from: { transport: 'admin-api' },
    ...('name' in client && {
      sessionId: `preview-${client.name}`,
      clientInfo: { name: client.name, version: client.version },
    }),
    clientCapabilities: {},
    signal: new AbortController().signal,
    notify: () => {},
  }
}
