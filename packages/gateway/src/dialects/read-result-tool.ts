import type { ResultReading } from '../model/result-reading.ts'
import type { Reading } from './dialect.ts'
import { OWN_META, type OwnTool, readArguments } from './own-tools.ts'

/** The server id of the gateway's own tools in keys; no server may have it. */
export const OWN_SERVER_ID = 'tooldex'
/** Its key: `tool_execute` runs it. */
export const READ_RESULT_KEY = `${OWN_SERVER_ID}:read_result`
/** Its name where `tool_execute` is not listed; the same in every dialect. */
export const READ_RESULT_TOOL_NAME = `${OWN_SERVER_ID}__read_result`

const LONGEST_TEXT = 200

/** Reads on in a result that was too large to be shown whole. */
export const READ_RESULT_TOOL: OwnTool = {
  name: READ_RESULT_TOOL_NAME,
  title: 'Read on in a result',
  description:
    'Reads on in a result that was cut. The note at its end has the id. Give a page or a line to read from, or a text to find.',
  inputSchema: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'From the note at the end of the cut result' },
      page: { type: 'integer', minimum: 1 },
      line: { type: 'integer', minimum: 1 },
      lines: { type: 'integer', minimum: 1, description: 'With line: how many at most' },
      find: {
        type: 'string',
        maxLength: LONGEST_TEXT,
        description: 'A text to find; upper and lower case are the same',
      },
      block: { type: 'integer', minimum: 1, description: 'An image or resource that was replaced by a link' },
    },
    required: ['id'],
  },
  annotations: { title: 'Read on in a result', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  _meta: OWN_META,
}

/** Whether a text names this tool, as a key or as an exposed name. */
export function isReadResult(toolKey: unknown): boolean {
  return toolKey === READ_RESULT_KEY || toolKey === READ_RESULT_TOOL_NAME
}

/** Reads its arguments. Accepts numbers that a model wrote as text. */
export function readReadResult(input: unknown): Reading<ResultReading> {
  const { id, find, ...args } = readArguments(input)
  if (typeof id !== 'string' || id === '') return { mistake: 'id is required' }
  if (find !== undefined && (typeof find !== 'string' || find === '' || find.length > LONGEST_TEXT)) {
    return { mistake: `find must be a text of 1 to ${LONGEST_TEXT} characters` }
  }
  const numbers: Partial<Record<'page' | 'line' | 'lines' | 'block', number>> = {}
  for (const name of ['page', 'line', 'lines', 'block'] as const) {
    if (args[name] === undefined || args[name] === null) continue
    const number = Number(args[name])
    if (!Number.isSafeInteger(number) || number < 1) return { mistake: `${name} must be a whole number from 1` }
    numbers[name] = number
  }
  return { value: { id, ...numbers, ...(find !== undefined && { find }) } }
}
