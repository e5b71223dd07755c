import type { CatalogTool } from '../catalog/catalog.ts'
import type { GatewayError } from '../errors.ts'
import type { RawResult } from '../servers/server.ts'
import type { ArgumentMistakes } from './validate-arguments.ts'

/** The `_meta` key of the error code in a result. */
export const ERROR_META_KEY = 'io.tooldex/error'

/**
 * The result for invalid arguments: it has the messages and the schema, so that a model can correct the call. Many clients
 * hide protocol errors from the model.
 */
export function mistakeResult(tool: CatalogTool, mistakes: ArgumentMistakes): RawResult {
  const inputSchema = tool.definition.inputSchema ?? { type: 'object' }
  const text = [
    `INVALID_ARGUMENTS: the arguments do not fit the tool ${tool.name} of ${tool.serverName}. It was not called.`,
    ...mistakes.map((mistake) => `- ${mistake}`),
    'Call again with arguments of this schema:',
    JSON.stringify(inputSchema),
  ].join('\n')
  return {
    isError: true,
    content: [{ type: 'text', text }],
    // Not as structured content, which clients check against the tool's output schema even in an error.
    _meta: { [ERROR_META_KEY]: { code: 'INVALID_ARGUMENTS', toolKey: tool.key, mistakes } },
  }
}

/** A gateway error as a tool result that a model can act on. */
export function errorResult({ code, message, details }: GatewayError): RawResult {
  return {
    isError: true,
    content: [{ type: 'text', text: `${code}: ${message}` }],
    _meta: { [ERROR_META_KEY]: { ...details, code } },
  }
}
