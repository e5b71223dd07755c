import type { ToolKey } from './tool-key.ts'
import type { DisclosureSettings } from './settings.ts'

/** The boundary: which servers, which tools of them, how they are disclosed and searched. */
export interface Project {
  readonly id: string
  readonly name: string
  /** Server ids, in order of priority. */
  readonly serverIds: readonly string[]
  /** What is said of single tools; a tool without an entry follows its server and project. */
  readonly tools: ReadonlyMap<ToolKey, ProjectTool>
  readonly disclosure: DisclosureSettings
}

/** A project's word on one tool. */
export interface ProjectTool {
  /** false forbids the tool here. */
  readonly allowed?: boolean
  readonly deferLoading?: boolean
  readonly pinned?: boolean
  /** What clients of this project see instead of the server's words. */
  readonly description?: string
}

/** A server's word on its own tools: `false` forbids one everywhere. A missing entry allows. */
export type ServerToolPermissions = ReadonlyMap<string, Readonly<Record<string, boolean>>>
