import { setImmediate } from 'node:timers/promises'
import { TextDecoder } from 'node:util'
import { type CatalogTool, catalogToolSchema } from '@tooldex/contract/search-api'
import { checked, invalid } from '../http/read-request.ts'

const NEWLINE = 10
/** In bytes. A longer line would block other requests while it is parsed. */
const LONGEST_LINE = 1024 * 1024
/** Lines that are read before other requests get a turn: about a millisecond of work. */
const LINES_PER_TURN = 100

/**
 * The tools of a catalog, one from each line; empty lines are skipped.
 * @throws ProblemError REQUEST_INVALID with the line, REQUEST_TOO_LARGE
 */
export async function readCatalog(lines: Buffer, mostTools: number): Promise<readonly CatalogTool[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const keys = new Set<string>()
  const tools: CatalogTool[] = []
  for (let start = 0, number = 1; start < lines.length; number++) {
    const found = lines.indexOf(NEWLINE, start)
    const end = found < 0 ? lines.length : found
    if (end - start > LONGEST_LINE) throw badLine(number, `is longer than ${LONGEST_LINE} bytes`)
    const value = parsed(decoder, lines.subarray(start, end), number)
    start = end + 1
    if (number % LINES_PER_TURN === 0) await setImmediate()
    if (value === undefined) continue
    const tool = checked(catalogToolSchema, value, `line ${number}`)
    if (keys.has(tool.toolKey)) throw badLine(number, 'has the toolKey of an earlier line')
    keys.add(tool.toolKey)
    tools.push(tool)
    if (tools.length > mostTools) {
      throw invalid('REQUEST_TOO_LARGE', [{ field: 'body', message: `has more than ${mostTools} tools` }])
    }
  }
  if (tools.length === 0) throw invalid('REQUEST_INVALID', [{ field: 'body', message: 'has no tools' }])
  return tools
}

function parsed(decoder: InstanceType<typeof TextDecoder>, line: Buffer, number: number): unknown {
  try {
    const text = decoder.decode(line)
    return text.trim() === '' ? undefined : (JSON.parse(text) as unknown)
  } catch {
    throw badLine(number, 'is not valid JSON in UTF-8')
  }
}

function badLine(number: number, message: string) {
  return invalid('REQUEST_INVALID', [{ field: `line ${number}`, message }])
}
