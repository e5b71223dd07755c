import { readFileSync } from 'node:fs'
import type { McpTool } from '../../packages/search/src/tool.ts'

const TOOLS_FILE = new URL('../../packages/search/eval/golden/tools.jsonl', import.meta.url)
/** A rule of thumb that is close enough for English and JSON. */
const CHARACTERS_PER_TOKEN = 4

/** A server as the demo knows it: what it says of itself and what it lists. */
export interface SampleServer {
  readonly name: string
  readonly description?: string
  readonly tools: readonly McpTool[]
}

interface ToolLine extends McpTool {
  readonly server: string
  readonly serverDescription?: string
}

/** The servers of the golden set that relevance is measured on. */
export function sampleServers(jsonLines: string = readFileSync(TOOLS_FILE, 'utf8')): SampleServer[] {
  const lines = jsonLines.split('\n').filter((line) => line.trim() !== '')
  const byServer = Map.groupBy(
    lines.map((line) => JSON.parse(line) as ToolLine),
    ({ server }) => server,
  )
  return [...byServer].map(([name, tools]) => {
    const description = tools[0]?.serverDescription
    return { name, ...(description !== undefined && { description }), tools: tools.map(asListed) }
  })
}

/** About what a model would read if every tool were listed to it. */
export function estimateTokens(servers: readonly SampleServer[]): number {
  const characters = JSON.stringify(servers.flatMap(({ tools }) => tools)).length
  return Math.round(characters / CHARACTERS_PER_TOKEN)
}

function asListed({ name, description, inputSchema }: ToolLine): McpTool {
  return { name, ...(description !== undefined && { description }), ...(inputSchema !== undefined && { inputSchema }) }
}
