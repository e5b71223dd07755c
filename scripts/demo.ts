// `npm start`, until there is a gateway to start: searches a sample catalog in the terminal.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { Bm25Provider, createToolIndex } from '../packages/search/src/index.ts'
import type { ToolIndex, ToolMatch } from '../packages/search/src/tool-index.ts'
import { renderFinding, renderHead, type Screen } from './demo/render.ts'
import { estimateTokens, sampleServers } from './demo/sample-catalog.ts'

const HELP = `Searches a sample catalog of MCP tools.

  npm start                        three examples, then type your own
  npm start -- "book a room"       one search
  npm start -- --help              this text

An empty line or Ctrl-D ends it. NO_COLOR=1 turns colours off.
`
const EXAMPLES = ['undo the last deployment', 'server:forgeyard AND "pull request" NOT merge', '在庫を確認したい']
const HITS_SHOWN = 3
const RUNS = 51
const WIDTH_OF_FILES = 110

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args)
  if (options instanceof Error) {
    process.stderr.write(`${options.message}\n\n${HELP}`)
    return 2
  }
  if (options.help) {
    process.stdout.write(HELP)
    return 0
  }
  // A reader that stops reading, as `head` does, is no failure.
  process.stdout.on('error', () => process.exit(0))
  const show = await openCatalog()
  for (const query of options.query === '' ? EXAMPLES : [options.query]) await show(query)
  if (options.query === '' && process.stdin.isTTY) await prompt(show)
  return 0
}

/** Indexes the sample servers, prints what there is, and hands back a way to search it. */
async function openCatalog(): Promise<(query: string) => Promise<void>> {
  const screen: Screen = {
    width: process.stdout.columns ?? WIDTH_OF_FILES,
    colours: process.stdout.isTTY && process.stdout.hasColors(),
  }
  const servers = sampleServers()
  const index = createToolIndex({ provider: new Bm25Provider() })
  for (const { name, description, tools } of servers) {
    await index.registerToolsFromMCP(name, tools, description === undefined ? {} : { description })
  }
  const tools = servers.reduce((sum, server) => sum + server.tools.length, 0)
  const counts = { servers: servers.length, tools, tokens: estimateTokens(servers) }
  process.stdout.write(`\n${renderHead(version(), counts, screen)}\n`)
  return async (query) => {
    process.stdout.write(`${await find(index, query, tools, screen)}\n`)
  }
}

function readOptions(args: readonly string[]): { help: boolean; query: string } | Error {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h', default: false } },
    })
    return { help: values.help, query: positionals.join(' ').trim() }
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Searches many times and tells the median: what a running program sees, after the first times paid for compiling. */
async function find(index: ToolIndex, query: string, toolCount: number, screen: Screen): Promise<string> {
  const times: number[] = []
  let matches: readonly ToolMatch[] = []
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now()
    matches = (await index.search(query, { maxResults: HITS_SHOWN, explain: true })).results
    times.push(performance.now() - start)
  }
  const milliseconds = times.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0
  return renderFinding({ query, matches, milliseconds, toolCount }, screen)
}

async function prompt(show: (query: string) => Promise<void>): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: '  find > ' })
  lines.on('SIGINT', () => lines.close())
  lines.prompt()
  for await (const line of lines) {
    if (line.trim() === '') break
    await show(line.trim())
    lines.prompt()
  }
  lines.close()
  process.stdout.write('\n')
}

function version(): string {
  return (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version
}
