import { isRecord } from '../src/is-record.ts'
import type { JsonSchema } from '../src/tool/tool.ts'

/** A tool as a catalog row has it: what an MCP server lists, with the server it came from. */
export interface BenchTool {
  /** Unique within a run. */
  readonly id: string
  readonly name: string
  readonly server: string
  readonly serverDescription?: string
  readonly description: string
  readonly inputSchema?: JsonSchema
}

/** The texts that peers index: the same four for each. */
export interface ToolDocument {
  readonly id: string
  readonly name: string
  readonly server: string
  readonly description: string
  /** Names and descriptions of the parameters. */
  readonly parameters: string
}

/** The texts of {@link ToolDocument}, in the order of their weight to a reader. */
export const DOCUMENT_FIELDS = ['name', 'server', 'description', 'parameters'] as const

/** The document a peer indexes for a tool. */
export function toDocument(tool: BenchTool): ToolDocument {
  const { id, name, server, description } = tool
  return { id, name, server, description, parameters: parameterText(tool.inputSchema) }
}

const MAX_SCHEMA_DEPTH = 4

function parameterText(schema: JsonSchema | undefined): string {
  const texts: string[] = []
  collectParameters(schema, texts, 0)
  return texts.join(' ')
}

function collectParameters(schema: unknown, texts: string[], depth: number): void {
  if (depth === MAX_SCHEMA_DEPTH || !isRecord(schema)) return
  if (isRecord(schema['properties'])) {
    for (const [name, property] of Object.entries(schema['properties'])) {
      texts.push(name)
      if (isRecord(property) && typeof property['description'] === 'string') texts.push(property['description'])
      collectParameters(property, texts, depth + 1)
    }
  }
  collectParameters(schema['items'], texts, depth + 1)
}
