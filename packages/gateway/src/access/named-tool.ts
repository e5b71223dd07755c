import type { CatalogServer, CatalogSnapshot, CatalogTool } from '../catalog/catalog.ts'
import { nameTable, type NamingRules } from '../catalog/name-table.ts'
import { GatewayError } from '../errors.ts'
import type { Principal } from '../model/principal.ts'
import type { Project, ServerToolPermissions } from '../model/project.ts'
import { type EligibleTools, fitsToken, forbidderOf, isAvailable, serversWithin } from './eligible-tools.ts'
import type { ExposedNames } from './exposed-names.ts'
import { findTool, toolAmbiguous, toolNotFound, toolPartsOf, toolsWrittenAs } from './resolve-tool.ts'

/** What a caller may use and how it is called there. */
export interface NamedTools {
  readonly eligible: EligibleTools
  readonly names: ExposedNames
  readonly rules: NamingRules
  readonly basis: AbsenceBasis
}

/**
 * The tool that a client wrote, whichever way, on every path that leads to a call.
 * @throws GatewayError the truthful reason inside the caller's reach, TOOL_NOT_FOUND outside of it, TOOL_AMBIGUOUS
 */
export function namedTool(text: string, { eligible, names, rules, basis }: NamedTools): CatalogTool {
  const tool = findTool(text, eligible, names)
  if (tool !== undefined) return tool
  // Always both, so that what is out of reach takes as long as what does not exist.
  const notFound = toolNotFound(text, eligible, names)
  throw explainAbsence(text, rules, basis) ?? notFound
}

/** What decides what a caller may use, and what servers say of themselves. */
export interface AbsenceBasis {
  readonly principal: Principal
  readonly project: Project
  readonly serverTools: ServerToolPermissions
  readonly catalog: CatalogSnapshot
  /** What a server says of its trouble now. */
  readonly troubleOf: (serverId: string) => ServerTrouble | undefined
}

/** The part of a server's status that explains why it cannot be used. */
export interface ServerTrouble {
  readonly lastError?: { readonly message: string }
  readonly loginUrl?: string
}

/**
 * Why a tool that a caller named is not among those it may use: truthfully where project and token put it within the
 * caller's reach, `undefined` otherwise, so that what is out of reach reads like what does not exist.
 */
function explainAbsence(text: string, rules: NamingRules, basis: AbsenceBasis): GatewayError | undefined {
  const servers = serversWithin(basis.principal, basis.project, basis.catalog)
  const absent = absentTools(servers, basis)
  const exact = nameTable(absent, rules).get(text) ?? absent.find(({ key }) => key === text)
  const known = new Set(absent)
  const candidates = exact === undefined ? toolsWrittenAs(text, servers).filter((tool) => known.has(tool)) : [exact]
  if (candidates.length > 1) return toolAmbiguous(text, candidates)
  const [tool] = candidates
  const unavailable = servers.filter((server) => !isAvailable(server))
  // A server that could not be listed may well have the tool: what is known is what the server is doing.
  const named = unavailable.find((server) =>
    tool === undefined ? toolPartsOf(text, server).length > 0 : server.id === tool.serverId,
  )
  if (named !== undefined) return serverUnavailable(named, basis.troubleOf(named.id))
  return tool === undefined ? undefined : toolDisabled(tool, basis)
}

/** Tools within reach that cannot be used now. */
function absentTools(servers: readonly CatalogServer[], basis: AbsenceBasis): readonly CatalogTool[] {
  const { principal, project, serverTools } = basis
  return servers.flatMap((server) => {
    const fitting = [...server.tools.values()].filter((tool) => fitsToken(principal, tool))
    return isAvailable(server)
      ? fitting.filter((tool) => forbidderOf(tool, project, serverTools) !== undefined)
      : fitting
  })
}

function toolDisabled(tool: CatalogTool, { project, serverTools }: AbsenceBasis): GatewayError {
  const isForAll = forbidderOf(tool, project, serverTools) === 'server'
  return new GatewayError('TOOL_DISABLED', {
    tool: tool.key,
    server: tool.serverName,
    reason: isForAll ? `${tool.key} is disabled for everybody` : `${tool.key} is disabled in project "${project.name}"`,
    remedy: isForAll
      ? `Whoever manages the server "${tool.serverName}" can enable it`
      : 'Whoever manages the project can enable it',
  })
}

function serverUnavailable(server: CatalogServer, trouble: ServerTrouble | undefined): GatewayError {
  const about = { server: server.name, state: server.state }
  const name = `"${server.name}"`
  switch (server.state) {
    case 'needs-login': {
      const { loginUrl } = trouble ?? {}
      const remedy = loginUrl === undefined ? 'Log in to it' : `Log in at ${loginUrl}`
      return new GatewayError('SERVER_NEEDS_LOGIN', {
        ...about,
        reason: `${name} wants to know who uses it`,
        remedy,
        ...(loginUrl === undefined ? {} : { loginUrl }),
      })
    }
    case 'quarantined':
      return new GatewayError('SERVER_QUARANTINED', {
        ...about,
        reason: `${name} changed what it offers`,
        remedy: 'Whoever manages the server can look at the change and approve it',
      })
    case 'stopped':
      return new GatewayError('SERVER_STOPPED', {
        ...about,
        reason: `${name} was stopped or disabled`,
        remedy: 'Whoever manages the server can start it',
      })
    default:
      return new GatewayError('SERVER_FAILED', {
        ...about,
        reason: trouble?.lastError === undefined ? `${name} does not run` : `${name}: ${trouble.lastError.message}`,
        remedy: 'Try again later; whoever manages the server finds more in its log',
      })
  }
}
