// The decisions of `eligibleTools` before they are applied to every tool. A bitmap of the catalog and the rule for an index that
// is elsewhere are made of them. Property tests hold both against the decision for a single tool.
import type { ToolRule } from '@tooldex/search/engine'
import type { CatalogServer } from '../catalog/catalog.ts'
import { ownWordsOf, searchedId, serverOfSearched } from '../catalog/search-index/indexed-tools.ts'
import type { Principal } from '../model/principal.ts'
import type { Project, ServerToolPermissions } from '../model/project.ts'

/** What a principal may use of a project. Its size is that of the permissions. */
export interface EligibilityRule {
  readonly project: Project
  readonly serverIds: ReadonlySet<string>
  /** The keys of tools that the server or the project denies. */
  readonly denied: ReadonlySet<string>
  /** The keys that the allow-lists of the project and of the token have in common, if there are any lists. */
  readonly only?: readonly string[]
  readonly readOnly: boolean
}

/** A part of the caller's tools. */
export interface ToolSelection {
  readonly serverIds?: ReadonlySet<string>
  readonly readOnly?: boolean
}

/** The rule of a principal in a project. @param servers those of the project that it may use, and that can answer */
export function eligibilityRule(
  principal: Principal,
  project: Project,
  serverTools: ServerToolPermissions,
  servers: readonly Pick<CatalogServer, 'id'>[],
): EligibilityRule {
  const serverIds = new Set(servers.map(({ id }) => id))
  const only = onlyIn(principal, project)
  return {
    project,
    serverIds,
    denied: deniedIn(project, serverTools, serverIds),
    ...(only !== undefined && { only }),
    readOnly: principal.readOnly,
  }
}

/** The part of a rule that a search selects. */
export function narrowedRule(rule: EligibilityRule, { serverIds, readOnly = false }: ToolSelection): EligibilityRule {
  const kept = [...rule.serverIds].filter((id) => serverIds?.has(id) ?? true)
  return { ...rule, serverIds: new Set(kept), readOnly: rule.readOnly || readOnly }
}

/** A rule over the ids of the search index. */
export function toolRule({ project, serverIds, denied, only, readOnly }: EligibilityRule): ToolRule {
  const described = describedIn(project, serverIds)
  return {
    tenant: project.id,
    // An entry with the project's words is a server of its own in the index, and replaces that of the tool.
    servers: [...serverIds, ...[...described].flatMap(([key, id]) => (denied.has(key) ? [] : id))],
    except: [...new Set([...denied, ...described.keys()])],
    ...(only !== undefined && { only: only.map((key) => described.get(key) ?? key) }),
    ...(readOnly && { traits: { readOnly: true } }),
  }
}

function deniedIn(
  project: Project,
  serverTools: ServerToolPermissions,
  serverIds: ReadonlySet<string>,
): ReadonlySet<string> {
  const denied = new Set<string>()
  for (const id of serverIds) {
    for (const [name, allowed] of Object.entries(serverTools.get(id) ?? {})) {
      if (!allowed) denied.add(`${id}:${name}`)
    }
  }
  for (const [key, { allowed }] of project.tools) {
    if (allowed === false && serverIds.has(serverOfSearched(key))) denied.add(key)
  }
  return denied
}

/** The ids of the entries with the project's own words, by tool key. */
function describedIn(project: Project, serverIds: ReadonlySet<string>): ReadonlyMap<string, string> {
  const described = new Map<string, string>()
  for (const [key, tool] of project.tools) {
    const words = ownWordsOf(tool)
    if (words !== undefined && serverIds.has(serverOfSearched(key))) described.set(key, searchedId(key, words))
  }
  return described
}

/** The tools that the allow-lists of the project and of the token have in common, if there are any lists. */
function onlyIn({ tools }: Principal, project: Project): readonly string[] | undefined {
  if (project.allow !== 'only') return tools && [...tools]
  const allowed = [...project.tools].flatMap(([key, tool]) => (tool.allowed === true ? key : []))
  return tools === undefined ? allowed : allowed.filter((key) => tools.has(key))
}
