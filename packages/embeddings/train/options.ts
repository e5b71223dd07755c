import { parseArgs } from 'node:util'

/** The options of the command line. */
export interface Options {
  /** Folders of `tools*.jsonl`. */
  readonly folders: readonly string[]
  /** Files of tools that an evaluation asks for. */
  readonly excluded: readonly string[]
  readonly scratch: string
  readonly out: string
  readonly threads: number
  readonly seed: number
}

/** The text of `--help`. */
export const HELP = `Trains the table of word vectors that comes with @tooldex/embeddings.

  npm run train:table -- <folder...> --scratch <folder> [options]

A folder holds tools*.jsonl  { name, server?, serverDescription?, description?, inputSchema? }

  --scratch <folder>   where the answers of the teacher are kept; a stopped run continues from there
  --exclude <file>     a tools.jsonl that an evaluation uses: its tools are left out of the training; may be repeated
  --out <folder>       where static.bin and manifest.json go; packages/embeddings/table
  --threads <n>        how many threads the teacher gets; 2
  --seed <n>           5
  --help               this text

The teacher takes 20 to 40 minutes on two cores the first time, the rest some minutes.
`

/** The command line cannot be used; the message explains why. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
}

/**
 * Reads the command line; absent when only help was asked for.
 * @throws OptionError for missing or unknown options.
 */
export function parseOptions(args: readonly string[], defaultOut: string): Options | undefined {
  const { values, positionals } = parse(args)
  if (values.help) return undefined
  if (positionals.length === 0) throw new OptionError('Give at least one folder of tools. See --help.')
  if (values.scratch === undefined)
    throw new OptionError('Give with --scratch the folder for the answers of the teacher.')
  return {
    folders: positionals,
    excluded: values.exclude,
    scratch: values.scratch,
    out: values.out ?? defaultOut,
    threads: numberOf('threads', values.threads, 1),
    seed: numberOf('seed', values.seed, 0),
  }
}

function numberOf(option: string, text: string, least: number): number {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= least) return number
  throw new OptionError(`--${option} must be a whole number of at least ${least}, not ${text}.`)
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        scratch: { type: 'string' },
        exclude: { type: 'string', multiple: true, default: [] },
        out: { type: 'string' },
        threads: { type: 'string', default: '2' },
        seed: { type: 'string', default: '5' },
        help: { type: 'boolean', default: false, short: 'h' },
      },
    })
  } catch (cause) {
    throw new OptionError(`${cause instanceof Error ? cause.message : String(cause)} See --help.`, { cause })
  }
}
