import type { ProjectConfig } from '@tooldex/contract'
import type { StoredProject } from '../../model/stored-state.ts'
import { fromStorable, toStorable } from '../storable-text.ts'
import type { ProjectRow, ProjectServerRow, ProjectToolRow } from '../tables.ts'
import { fromFlag, restOf, said, toFlag } from './rest-of.ts'

/** What a project says of one tool. A name of its own is kept where a configuration has it. */
type ProjectTool = NonNullable<ProjectConfig['tools']>[string] & { readonly name?: string }

/** A project as it is kept: in three tables. */
export interface ProjectRows {
  readonly project: Omit<ProjectRow, 'position'>
  readonly servers: readonly ProjectServerRow[]
  readonly tools: readonly ProjectToolRow[]
}

/** A project as it is kept. */
export function toProjectRows({ id, createdAt, updatedAt, config }: StoredProject): ProjectRows {
  const project_id = toStorable(id)
  const { name, optimization, servers, tools } = config
  return {
    project: {
      id: project_id,
      created_at: createdAt,
      updated_at: updatedAt,
      name: name === undefined ? null : toStorable(name),
      says_optimization: optimization === undefined ? 0 : 1,
      optimization: optimization ?? null,
      lists_servers: servers === undefined ? 0 : 1,
      lists_tools: tools === undefined ? 0 : 1,
      config: restOf(config, 'name', 'optimization', 'servers', 'tools'),
    },
    servers: (servers ?? []).map((server, position) => ({ project_id, position, server_id: toStorable(server) })),
    tools: Object.entries(tools ?? {}).map(([key, tool], position) => ({
      project_id,
      position,
      tool_key: toStorable(key),
      ...toolColumns(tool),
    })),
  }
}

/** The project that rows have; parts in their order. */
export function fromProjectRows({ project, servers, tools }: ProjectRows): StoredProject {
  const config = {
    ...(JSON.parse(project.config) as ProjectConfig),
    ...said({
      name: project.name === null ? undefined : fromStorable(project.name),
      optimization: project.says_optimization === 1 ? project.optimization : undefined,
      servers: project.lists_servers === 1 ? servers.map(({ server_id }) => fromStorable(server_id)) : undefined,
      tools:
        project.lists_tools === 1
          ? Object.fromEntries(tools.map((row) => [fromStorable(row.tool_key), fromToolRow(row)]))
          : undefined,
    }),
  } as ProjectConfig
  return { id: fromStorable(project.id), createdAt: project.created_at, updatedAt: project.updated_at, config }
}

function toolColumns(tool: ProjectTool): Omit<ProjectToolRow, 'project_id' | 'position' | 'tool_key'> {
  return {
    allowed: toFlag(tool.allowed),
    defer_loading: toFlag(tool.deferLoading),
    pinned: toFlag(tool.pinned),
    name: tool.name === undefined ? null : toStorable(tool.name),
    description: tool.description === undefined ? null : toStorable(tool.description),
    config: restOf(tool, 'allowed', 'deferLoading', 'pinned', 'name', 'description'),
  }
}

function fromToolRow(row: ProjectToolRow): ProjectTool {
  return {
    ...(JSON.parse(row.config) as ProjectTool),
    ...said({
      allowed: fromFlag(row.allowed),
      deferLoading: fromFlag(row.defer_loading),
      pinned: fromFlag(row.pinned),
      name: row.name === null ? undefined : fromStorable(row.name),
      description: row.description === null ? undefined : fromStorable(row.description),
    }),
  } as ProjectTool
}
