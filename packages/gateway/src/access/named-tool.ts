import type { CatalogServer, CatalogSnapshot, CatalogTool } from '../catalog/catalog.ts'
import { nameTable, type NamingRules } from '../catalog/name-table.ts'
import { GatewayError } from '../errors.ts'
import type { Principal } from '../model/principal.ts'
import type { Project, ServerToolPermissions } from '../model/project.ts'
import { askAdministrator } from '../model/server.ts'
import { type EligibleTools, fitsToken, forbidderOf, isAvailable, serversWithin } from './eligible-tools.ts'
import { type ExposedNames, givenNames } from './exposed-names.ts'
import {
  findTool,
  quoted,
  refuseFormerName,
  toolAmbiguous,
  toolNotFound,
  toolPartsOf,
  toolsWrittenAs,
} from './resolve-tool.ts'

/** The tools of a caller with their names. */
export interface NamedTools {
  readonly eligible: EligibleTools
  readonly names: ExposedNames
  readonly rules: NamingRules
  readonly basis: AbsenceBasis
}

/**
 * The tool that a client named, in any notation. Every call uses this function.
 * @throws GatewayError with the real reason for tools of the caller's projects, TOOL_NOT_FOUND for others, TOOL_AMBIGUOUS,
 * PROJECT_NOT_FOUND where the project that the client asked for leaves nothing
 */
export function namedTool(text: string, { eligible, names, rules, basis }: NamedTools): CatalogTool {
  const tool = findTool(text, eligible, names) ?? toolNamedAlone(text, eligible, names, rules)
  if (tool !== undefined) return tool
  const { emptied } = eligible.project
  if (emptied !== undefined) {
    throw new GatewayError('PROJECT_NOT_FOUND', {
      reason: emptied,
      remedy: 'Name another one in _meta.projectId, or none',
    })
  }
  // Both are always computed, so that the response time does not reveal whether a tool exists.
  const notFound = toolNotFound(text, eligible, names)
  throw explainAbsence(text, rules, basis) ?? notFound
}

/** The tool with this name of its own, without its server, if no other tool has it. @throws GatewayError TOOL_AMBIGUOUS */
function toolNamedAlone(
  text: string,
  eligible: EligibleTools,
  names: ExposedNames,
  { reserved }: NamingRules,
): CatalogTool | undefined {
  const tools = reserved.has(text) ? [] : eligible.list.filter(({ name }) => name === text)
  if (tools.length > 1) throw toolAmbiguous(text, tools)
  const [tool] = tools
  if (tool !== undefined) refuseFormerName(text, tool, eligible, names)
  return tool
}

/** A tool as a caller named it. */
export interface AskedTool {
  /** Empty if the text names no tool within the caller's reach. */
  readonly serverId: string
  /** The key of the tool, or the text itself. */
  readonly toolKey: string
}

/** The tool that a refused call named, for the audit log: also one that the caller may not use now. */
export function askedTool(text: string, { eligible, names, rules, basis }: NamedTools): AskedTool {
  const servers = serversWithin(basis.principal, basis.project, basis.catalog)
  const written = toolsWrittenAs(text, eligible.servers).filter(({ key }) => eligible.has(key))
  const usable = names.get(text) ?? written[0]
  const candidates = usable === undefined ? absentCandidates(text, rules, servers, basis) : [usable]
  const [tool] = candidates
  const isOne = tool !== undefined && candidates.length === 1 && written.length <= 1
  return isOne ? { serverId: tool.serverId, toolKey: tool.key } : { serverId: '', toolKey: text }
}

/** Everything that decides what a caller may use, and the status of servers. */
export interface AbsenceBasis {
  readonly principal: Principal
  readonly project: Project
  readonly serverTools: ServerToolPermissions
  readonly catalog: CatalogSnapshot
  /** The current problem of a server. */
  readonly troubleOf: (serverId: string) => ServerTrouble | undefined
}

/** The part of a server's status that explains why it cannot be used. */
export interface ServerTrouble {
  readonly lastError?: { readonly message: string }
}

/**
 * Why a caller cannot use a tool that it named: the real reason for tools within its project and token, `undefined` for
 * others, so that they look like tools that do not exist.
 */
function explainAbsence(text: string, rules: NamingRules, basis: AbsenceBasis): GatewayError | undefined {
  const servers = serversWithin(basis.principal, basis.project, basis.catalog)
  const candidates = absentCandidates(text, rules, servers, basis)
  if (candidates.length > 1) return toolAmbiguous(text, candidates)
  const [tool] = candidates
  const isNamed = (server: CatalogServer): boolean => toolPartsOf(text, server).length > 0
  const unavailable = servers.filter((server) => !isAvailable(server))
  // A server that could not be listed may have the tool, so the error reports the state of the server.
  const named = unavailable.find((server) => (tool === undefined ? isNamed(server) : server.id === tool.serverId))
  if (named !== undefined) return serverUnavailable(named, basis.troubleOf(named.id))
  return tool === undefined ? stillStarting(text, servers, isNamed) : toolDisabled(tool, basis)
}

/** A name may belong to a server whose tools are not known yet, unless it names a server whose tools are. */
function stillStarting(
  text: string,
  servers: readonly CatalogServer[],
  isNamed: (server: CatalogServer) => boolean,
): GatewayError | undefined {
  const awaited = servers.filter(({ awaitedSince }) => awaitedSince !== undefined)
  const named = awaited.filter(isNamed)
  const possible = named.length > 0 || servers.some(isNamed) ? named : awaited
  const [first] = possible
  if (first === undefined) return undefined
  const names = possible.map(({ name }) => name)
  const who = names.map((name) => `"${name}"`).join(', ')
  return new GatewayError('SERVER_STARTING', {
    ...(possible.length === 1 ? { server: first.name } : {}),
    servers: names,
    reason: `${who} ${names.length === 1 ? 'is' : 'are'} still starting, and ${quoted(text)} may be a tool of ${names.length === 1 ? 'it' : 'one of them'}`,
    remedy: 'Try again in a few seconds',
  })
}

/** The tools that a text may name among those that are not available now. */
function absentCandidates(
  text: string,
  rules: NamingRules,
  servers: readonly CatalogServer[],
  basis: AbsenceBasis,
): readonly CatalogTool[] {
  const absent = absentTools(servers, basis)
  const exact = nameTable(absent, rules, givenNames(basis.project)).get(text) ?? absent.find(({ key }) => key === text)
  if (exact !== undefined) return [exact]
  const known = new Set(absent)
  const withHeld = servers.map((server) => ({
    ...server,
    tools: new Map([...server.tools, ...(server.heldTools ?? [])]),
  }))
  return toolsWrittenAs(text, withHeld).filter((tool) => known.has(tool))
}

/** Tools of the caller's servers that are not available now. */
function absentTools(servers: readonly CatalogServer[], basis: AbsenceBasis): readonly CatalogTool[] {
  const { principal, project, serverTools } = basis
  return servers.flatMap((server) => {
    const fitting = [...server.tools.values()].filter((tool) => fitsToken(principal, tool))
    if (!isAvailable(server)) return fitting
    const held = [...(server.heldTools?.values() ?? [])].filter((tool) => fitsToken(principal, tool))
    return [...fitting.filter((tool) => forbidderOf(tool, project, serverTools) !== undefined), ...held]
  })
}

function toolDisabled(tool: CatalogTool, { project, serverTools, catalog }: AbsenceBasis): GatewayError {
  const forbidder = forbidderOf(tool, project, serverTools)
  const server = catalog.servers.find(({ id }) => id === tool.serverId)
  if (forbidder === undefined && server?.heldTools?.get(tool.name) === tool) return toolHeld(tool)
  const isForAll = forbidder === 'server'
  return new GatewayError('TOOL_DISABLED', {
    tool: tool.key,
    server: tool.serverName,
    reason: isForAll
      ? `${tool.key} is disabled for all projects`
      : forbidder === 'allow-list'
        ? `${tool.key} is not among the tools that project "${project.name}" allows`
        : `${tool.key} is disabled in project "${project.name}"`,
    remedy: isForAll
      ? `An administrator can enable it at the server "${tool.serverName}"`
      : 'An administrator can enable it in the project',
  })
}

function toolHeld(tool: CatalogTool): GatewayError {
  return new GatewayError('TOOL_HELD', {
    tool: tool.key,
    server: tool.serverName,
    reason: `"${tool.serverName}" changed ${tool.key}`,
    remedy: 'An administrator can look at the change and approve it: tooldex review',
  })
}

function serverUnavailable(server: CatalogServer, trouble: ServerTrouble | undefined): GatewayError {
  const about = { server: server.name, state: server.state }
  const name = `"${server.name}"`
  switch (server.state) {
    case 'needs-login':
      return new GatewayError('SERVER_NEEDS_LOGIN', {
        ...about,
        reason: `${name} needs a login by an administrator`,
        remedy: askAdministrator(server.id),
      })
    case 'held':
      return new GatewayError('SERVER_HELD', {
        ...about,
        reason: `the command line or address of ${name} changed`,
        remedy: 'An administrator can approve the change: tooldex review',
      })
    case 'stopped':
      return new GatewayError('SERVER_STOPPED', {
        ...about,
        reason: `${name} was stopped or disabled`,
        remedy: 'An administrator can start it',
      })
    default:
      return new GatewayError('SERVER_FAILED', {
        ...about,
        reason: failureOf(server, trouble),
        remedy: 'Try again later; the log of the server has details',
      })
  }
}

function failureOf({ name, toolsUnknown }: CatalogServer, trouble: ServerTrouble | undefined): string {
  if (toolsUnknown !== undefined) return `"${name}" is running, but its tools are unknown: ${toolsUnknown}`
  return trouble?.lastError === undefined ? `"${name}" is not running` : `"${name}": ${trouble.lastError.message}`
}
