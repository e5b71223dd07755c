import { parseArgs } from 'node:util'
import type { EngineName } from './engines/engine.ts'
import { ENGINE_NAMES } from './engines/engine.ts'

/** Options of the command line. */
export interface BenchOptions {
  readonly help: boolean
  /** Print figures as JSON on stdout and nothing else there. */
  readonly json: boolean
  /** A JSON-lines file or a folder of them; absent: generated tools. */
  readonly tools?: string
  readonly sizes: readonly number[]
  readonly engines: readonly EngineName[]
  /** Measured queries per engine and size. */
  readonly queries: number
  /** The SVG file to draw the figures of the last size into. */
  readonly chart?: string
}

/** An invalid command line; the message gives the reason. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
}

/** The help text. */
export const USAGE = `Usage: npm run bench -- [options]

Measures index time, memory and query time of search engines over tools, each in a process of its own.

  --tools <path>     a catalog: a .jsonl file or a folder of them (default: generated tools)
  --sizes <list>     numbers of tools, e.g. 1000,20000 (default: 1000,20000,100000)
  --engines <list>   of ${ENGINE_NAMES.join(', ')} (default: all)
  --queries <n>      measured queries per engine and size (default: 500)
  --chart <file>     also draw query time, index time and memory at the last size as SVG
  --json             print only the figures, as JSON
  --help             print this
`

const MAX_SIZE = 1_000_000
const MAX_QUERIES = 100_000

/**
 * Reads the command line.
 * @throws OptionError for anything that is not as in {@link USAGE}.
 */
export function parseOptions(args: readonly string[]): BenchOptions {
  const values = readArguments(args)
  return {
    help: values.help,
    json: values.json,
    ...(values.tools === undefined ? {} : { tools: filled('--tools', values.tools) }),
    sizes: listOf(values.sizes).map((text) => wholeNumber('--sizes', text, MAX_SIZE)),
    engines: listOf(values.engines).map(engineName),
    queries: wholeNumber('--queries', values.queries, MAX_QUERIES),
    ...(values.chart === undefined ? {} : { chart: filled('--chart', values.chart) }),
  }
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        tools: { type: 'string' },
        chart: { type: 'string' },
        sizes: { type: 'string', default: '1000,20000,100000' },
        engines: { type: 'string', default: ENGINE_NAMES.join(',') },
        queries: { type: 'string', default: '500' },
      },
    }).values
  } catch (error) {
    throw new OptionError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

function listOf(text: string): string[] {
  return [...new Set(text.split(',').map((part) => part.trim()))]
}

function filled(option: string, text: string): string {
  if (text.trim() === '') throw new OptionError(`${option} needs a value`)
  return text
}

function wholeNumber(option: string, text: string, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0
  if (value < 1 || value > max) throw new OptionError(`${option} takes whole numbers from 1 to ${max}, not '${text}'`)
  return value
}

function engineName(text: string): EngineName {
  const name = ENGINE_NAMES.find((candidate) => candidate === text)
  if (name === undefined) throw new OptionError(`No engine '${text}': choose of ${ENGINE_NAMES.join(', ')}`)
  return name
}
