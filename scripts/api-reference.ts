// Writes docs/reference/search-library.md from the types of @tooldex/search. With --check it only reports whether the
// page is up to date.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Entry, renderReference, type Section } from './api-reference/render.ts'
import { ROOT } from './packages.ts'
import { run } from './run.ts'

const PAGE = 'docs/reference/search-library.md'
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
const BIOME = join(ROOT, 'node_modules/@biomejs/biome/bin/biome')

const ENTRIES: readonly Entry[] = [
  { specifier: '@tooldex/search', file: 'index.d.ts' },
  { specifier: '@tooldex/search/regex', file: 'regex.d.ts' },
  { specifier: '@tooldex/search/relevance', file: 'relevance.d.ts' },
]

const SECTIONS: readonly Section[] = [
  { title: 'The index', modules: ['tool-index/in-memory-tool-index', 'tool-index/tool-index'] },
  { title: 'Tools', modules: ['tool/tool', 'tool/tool-key', 'tool/tags', 'tool/short-description'] },
  { title: 'Backends', modules: ['tool/tool-backend'] },
  {
    title: 'Providers',
    modules: [
      'providers/bm25/bm25-provider',
      'providers/hybrid/hybrid-provider',
      'providers/embeddings/embeddings-provider',
      'providers/lexical/lexical-provider',
      'providers/regex/regex-provider',
      'providers/fallback/fallback-provider',
    ],
  },
  {
    title: 'What a provider is',
    modules: ['providers/search-provider', 'providers/verdict', 'tool/tool-filter', 'tool/tool-scope'],
  },
  {
    title: 'Learning from use',
    modules: ['learning/learned-uses', 'learning/search-with-uses', 'learning/parameters'],
  },
  { title: 'Saved providers', modules: ['providers/save-provider', 'saved/saved-parts', 'saved/saved-tools'] },
  { title: 'Embedders', modules: ['providers/meaning/embedder', 'providers/meaning/meaning-search'] },
  { title: 'The query language', modules: ['query/parse-query', 'query/query'] },
  { title: 'Queries in other languages', modules: ['query/query-reader'] },
  { title: 'Measuring', modules: ['relevance/metrics', 'relevance/missing-words'] },
  { title: 'Errors', modules: ['errors', 'tool-index/cursor'] },
]

const HEAD = `# The search library

Every export of \`@tooldex/search\`, from its types and their comments: \`npm run docs:api\` writes this page. How to use it:
[packages/search/README.md](../../packages/search/README.md).`

const page = format(`${HEAD}\n\n${await reference()}\n`)
const path = join(ROOT, PAGE)
if (!process.argv.includes('--check')) writeFileSync(path, page)
else if (readFileSync(path, 'utf8') !== page) {
  process.stderr.write(`${PAGE} is out of date: the types have changed. Run \`npm run docs:api\`.\n`)
  process.exitCode = 1
}

async function reference(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tooldex-types-'))
  try {
    const { code, output } = await run(process.execPath, [
      ...[TSC, '-p', 'packages/search', '--emitDeclarationOnly', '--outDir', folder],
    ])
    if (code !== 0) throw new Error(output)
    return renderReference(ENTRIES, SECTIONS, (file) => readFileSync(join(folder, file), 'utf8'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Formats as `npm run format` does. */
function format(text: string): string {
  const args = [BIOME, 'format', `--stdin-file-path=${PAGE}`]
  return execFileSync(process.execPath, args, { cwd: ROOT, input: text, encoding: 'utf8' })
}
