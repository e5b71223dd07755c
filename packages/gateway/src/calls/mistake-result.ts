import type { CatalogTool } from '../catalog/catalog.ts'
import type { RawResult } from '../servers/server.ts'
import type { ArgumentMistakes } from './validate-arguments.ts'

/** Where results say which failure of ours they tell of. */
export const ERROR_META_KEY = 'io.tooldex/error'

/**
 * The answer to arguments that do not fit: a result that a model can act on in its next turn, with the messages and the
 * schema, rather than a protocol error that many clients swallow.
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
    // Not as structured content: clients check that against the tool's output schema, also in an error.
    _meta: { [ERROR_META_KEY]: { code: 'INVALID_ARGUMENTS', toolKey: tool.key, mistakes } },
  }
}
