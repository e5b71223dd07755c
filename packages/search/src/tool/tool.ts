/** JSON as it arrives in tool definitions. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue }

/** A JSON Schema object. It is searched and stored, never executed or resolved. */
export type JsonSchema = { readonly [key: string]: unknown }

/** A tool as an MCP server lists it. Unknown fields are kept but neither searched nor compared. */
export interface McpTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema?: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly annotations?: { readonly [key: string]: unknown }
  readonly icons?: readonly unknown[]
  readonly _meta?: { readonly [key: string]: unknown }
}

/** An MCP tool with what the index adds: the namespace (its server) and tags. */
export interface Tool extends McpTool {
  /** The server that the tool belongs to; absent for a tool that belongs to none. Never contains a colon. */
  readonly namespace?: string
  /** The server's own description. Searched as part of the server, never returned by a search. */
  readonly namespaceDescription?: string
  /** Normalised at registration: lower case, `[a-z0-9-_.]`, at most 64 characters each, at most 20. */
  readonly tags?: readonly string[]
}

/** A registered tool: validated, tags normalised, with the id it is found under. */
export interface IndexedTool extends Tool {
  /** `namespace:name`, or the name alone where there is no namespace. */
  readonly id: string
}

/** A part of a tool that text can match in. */
export type SearchField = 'name' | 'title' | 'server' | 'description' | 'parameters' | 'tags'
