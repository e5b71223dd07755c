import { readFileSync } from 'node:fs'
import { packageFile } from '../package-files.ts'

/** The tools of the golden set, one per line. `packages/search/eval/golden/tools.jsonl` links to this file. */
const CATALOG_FILE = packageFile('demo/catalog.jsonl')

/** A tool of a fictional service, as its server lists it. */
export interface SampleTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: SampleSchema
}

/** The part of JSON Schema that the samples use. */
export interface SampleSchema {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, SampleSchema>>
  readonly required?: readonly string[]
  readonly items?: SampleSchema
}

/** A fictional service and its tools. */
export interface SampleServer {
  readonly name: string
  readonly description?: string
  readonly tools: readonly SampleTool[]
}

interface Line extends SampleTool {
  readonly server: string
  readonly serverDescription?: string
}

/** The sample servers, in the order of the file. */
export function sampleServers(jsonLines: string = readFileSync(CATALOG_FILE, 'utf8')): SampleServer[] {
  const lines = jsonLines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Line)
  return [...Map.groupBy(lines, ({ server }) => server)].map(([name, tools]) => {
    const description = tools[0]?.serverDescription
    return { name, ...(description !== undefined && { description }), tools: tools.map(asListed) }
  })
}

function asListed({ name, description, inputSchema }: Line): SampleTool {
  return { name, ...(description !== undefined && { description }), inputSchema: inputSchema ?? { type: 'object' } }
}
