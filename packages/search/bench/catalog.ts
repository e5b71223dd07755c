// Where the tools of a run come from: a real catalog in JSON lines, or generated.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchTool } from './bench-tool.ts'
import { isRecord } from '../src/is-record.ts'
import { generateTools } from './generate-tools.ts'

/** `count` tools of the catalog at `path`, or generated ones where there is no path. */
export function loadTools(path: string | undefined, count: number): BenchTool[] {
  return path === undefined ? generateTools(count) : replicate(catalogLines(path), count)
}

/**
 * The non-empty lines of a JSON-lines file, or of all `*.jsonl` files in a folder, in name order.
 * @throws Error that names the path when it cannot be read or holds no tools.
 */
export function catalogLines(path: string): string[] {
  const lines = catalogFiles(path).flatMap((file) => readFileSync(file, 'utf8').split('\n'))
  const filled = lines.filter((line) => line.trim() !== '')
  if (filled.length === 0) throw new Error(`No tools in ${path}: expected a .jsonl file, or a folder with some`)
  return filled
}

function catalogFiles(path: string): string[] {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) throw new Error(`No such file or folder: ${path}`)
  if (!stat.isDirectory()) return [path]
  const names = readdirSync(path).filter((name) => name.endsWith('.jsonl'))
  return names.sort().map((name) => join(path, name))
}

/**
 * The first `count` distinct tools; where the catalog has fewer, it is taken once more per tenant, with the tenant's
 * suffix on server and id. Every copy is parsed anew, so that copies share no memory, as those of real servers would
 * not.
 * @throws Error with the line number for a line that is not a tool.
 */
export function replicate(lines: readonly string[], count: number): BenchTool[] {
  const tools: BenchTool[] = []
  const distinct = new Set<string>()
  for (let tenant = 1; tools.length < count; tenant++) {
    distinct.clear()
    for (const [index, line] of lines.entries()) {
      if (tools.length === count) break
      const tool = parseTool(line, index + 1, tenant === 1 ? '' : `-t${tenant}`)
      if (distinct.has(tool.id)) continue
      distinct.add(tool.id)
      tools.push(tool)
    }
  }
  return tools
}

function parseTool(line: string, lineNumber: number, suffix: string): BenchTool {
  const row = parseLine(line, lineNumber)
  const { name, server = 'default', description = '', serverDescription, inputSchema } = row
  if (typeof name !== 'string' || typeof server !== 'string' || typeof description !== 'string') {
    throw new Error(`Line ${lineNumber} of the catalog is not a tool: name, server and description must be strings`)
  }
  const owner = `${server}${suffix}`
  return {
    id: `${owner}:${name}`,
    name,
    server: owner,
    description,
    ...(typeof serverDescription === 'string' ? { serverDescription } : {}),
    ...(isRecord(inputSchema) ? { inputSchema } : {}),
  }
}

function parseLine(line: string, lineNumber: number): Record<string, unknown> {
  try {
    const row: unknown = JSON.parse(line)
    if (isRecord(row)) return row
  } catch {
    // Reported below, with the line number instead of the position in the line.
  }
  throw new Error(`Line ${lineNumber} of the catalog is not a JSON object`)
}

/** The id without a tenant's suffix: the same for all copies of a tool. */
export function originalId(id: string): string {
  return id.replace(/-t\d+:/, ':')
}
