import type { DisclosureSettings } from './settings.ts'
import type { ToolKey } from './tool-key.ts'

/** A set of servers with the permissions, exposure and search settings of their tools. */
export interface Project {
  readonly id: string
  readonly name: string
  /** Server ids, in order of priority. */
  readonly serverIds: readonly string[]
  /** Settings of single tools; a tool without an entry follows its server and project. */
  readonly tools: ReadonlyMap<ToolKey, ProjectTool>
  /** `only`: tools without `allowed: true` do not exist in this project. */
  readonly allow?: 'all' | 'only'
  readonly disclosure: DisclosureSettings
  /** Set where the project that a client asked for leaves nothing: the reason, as a sentence without its full stop. */
  readonly emptied?: string
}

/** The settings of one tool in a project. */
export interface ProjectTool {
  /** `false` forbids the tool in this project. */
  readonly allowed?: boolean
  readonly deferLoading?: boolean
  readonly pinned?: boolean
  /** Replaces the description of the server for clients of this project. */
  readonly description?: string
  /** Replaces the exposed name for clients of this project. */
  readonly name?: string
}

/** Tool permissions by server and tool name: `false` forbids a tool in all projects, a missing entry allows it. */
export type ServerToolPermissions = ReadonlyMap<string, Readonly<Record<string, boolean>>>
