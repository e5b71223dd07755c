import { parseArgs } from 'node:util'
import { InputError } from './input-error.ts'
import type { LearnOptions } from './learn.ts'

/** Options of the command line. */
export interface Options {
  readonly folders: readonly string[]
  /** Names of rankers; absent: all. */
  readonly rankers?: readonly string[]
  readonly json: boolean
  readonly byKind: boolean
  /** The SVG file to draw the figures into. */
  readonly chart?: string
  /** Learn from this share of each set, of which another share is wrong, and rank the rest. */
  readonly learn?: LearnOptions
  readonly updateRatchet: boolean
  readonly force: boolean
  readonly help: boolean
}

/** The text of `--help`. */
export const HELP = `Measures how well each ranker finds tools.

  npm run eval -- [folder...] [options]

A folder holds tools.jsonl   { id, name, server?, serverDescription?, description, inputSchema? }
           and queries.jsonl { id, query, relevant: [toolId...], grades?, kind? }
where query is a string, or a list of strings for several intents. Queries without tools.jsonl are about the tools of
the folder above. Rows of labels.jsonl, if there is one, with present: false are queries that no tool serves.
Without a folder: our golden set. Of several arguments, files and folders without queries.jsonl are skipped.

  --rankers a,b       only these rankers
  --by-kind           break NDCG@10 and Recall@5 down by the kind of query, where queries have one
  --learn <share>     learn from this share of each set's queries (0.5: half) and rank the rest without and with it, as
                      hybrid and hybrid+learning; the split is by a hash of the id, or of the task where queries have one
  --noise <share>     with --learn: replace this share of the learnt uses by wrong tools
  --json              print only { sets: { <set>: { <ranker>: { hit1, recall5, recall10, ndcg10, mrr, queries, p50Ms } } } }
                      with kinds where queries have one; of our rankers also calibrationError, and where labels.jsonl has
                      queries that no tool serves { auc, aucByKind, falseFound, missedFound }
  --chart <file>      also draw NDCG@10 of each ranker on each set, and the mean over sets, as SVG
  --update-ratchet    set the floors of our rankers to what they reach on the golden set
  --force             with --update-ratchet: lower floors too
  --help              this text

Each ranker is asked for 10 tools. NDCG takes a query's grades as gains where it has them, else 1 for each relevant tool.
`

/**
 * Reads the command line.
 * @throws InputError for an unknown option, or options that do not go together.
 */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parse(args)
  const rankers = values.rankers?.split(',').map((name) => name.trim())
  const options: Options = {
    folders: positionals,
    ...(rankers !== undefined && { rankers }),
    json: values.json,
    byKind: values['by-kind'],
    ...(values.chart !== undefined && { chart: values.chart }),
    ...(values.learn !== undefined && {
      learn: { share: readShare('--learn', values.learn), noise: readShare('--noise', values.noise ?? '0') },
    }),
    updateRatchet: values['update-ratchet'],
    force: values.force,
    help: values.help,
  }
  if (values.noise !== undefined && values.learn === undefined) throw new InputError('--noise goes with --learn only.')
  if (options.learn !== undefined && options.rankers !== undefined) {
    throw new InputError('--learn ranks with hybrid. Leave out --rankers.')
  }
  if (options.force && !options.updateRatchet) throw new InputError('--force goes with --update-ratchet only.')
  if (options.chart !== undefined && options.learn !== undefined) throw new InputError('--chart draws no --learn.')
  if (options.updateRatchet && (options.folders.length > 0 || options.json || options.byKind || options.chart)) {
    throw new InputError(
      '--update-ratchet measures the golden set only. Leave out folders, --json, --by-kind, --chart.',
    )
  }
  return options
}

function readShare(option: string, text: string): number {
  const share = Number(text)
  if (text.trim() !== '' && share >= 0 && share <= 1) return share
  throw new InputError(`${option} takes a number from 0 to 1, such as 0.5, not ${JSON.stringify(text)}.`)
}

function parse(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        rankers: { type: 'string' },
        learn: { type: 'string' },
        chart: { type: 'string' },
        noise: { type: 'string' },
        json: flag,
        'by-kind': flag,
        'update-ratchet': flag,
        force: flag,
        help: { ...flag, short: 'h' },
      },
    })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new InputError(`${reason}\nSee npm run eval -- --help.`, { cause })
  }
}
