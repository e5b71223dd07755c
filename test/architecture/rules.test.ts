import { describe, expect, it } from 'vitest'
import { deadPaths, foldersInTree, missingTests } from './docs.ts'
import { undocumentedErrors } from './errors.ts'
import { downloadAddresses, heldBackTests, longFiles, machineTraces } from './files.ts'
import { IMPORT_RULES } from './import-rules.ts'
import { folderCycles, forbiddenImports, importsOf } from './imports.ts'

// Bad examples are put together from parts, so that the rules do not find them here.
const file = (path: string, text: string) => ({ path, text })

describe('importsOf', () => {
  it('finds every kind of import, and none in comments', () => {
    const text = `
      import { a } from './a.ts'
      import type { B } from "../b.ts"
      import {
        c,
      } from 'c'
      import 'd'
      export * from './e.ts'
      const f = await import('f')
      /** import { x } from 'x' */
      // import y from 'y'
    `
    expect(importsOf(file('packages/p/src/q.ts', text)).toSorted()).toEqual(
      ['packages/p/src/a.ts', 'packages/p/b.ts', 'c', 'd', 'packages/p/src/e.ts', 'f'].toSorted(),
    )
  })

  it('does not mistake a word before a string for an import', () => {
    expect(importsOf(file('a.ts', `export const from = 'x'\nexport type T = 'y'`))).toEqual([])
    expect(importsOf(file('a.ts', `const words = ['load import', 'export', 'x']`))).toEqual([])
  })
})

describe('forbiddenImports', () => {
  const complaints = (path: string, specifier: string) =>
    forbiddenImports(IMPORT_RULES, [file(path, `import { x } from '${specifier}'`)])

  it.each([
    ['packages/search/src/tool-index/tool-index.ts', 'node:fs'],
    ['packages/search/src/tool-index/tool-index.ts', 'lodash'],
    ['packages/search/src/tool-index/tool-index.ts', '../../bench/main.ts'],
    ['packages/search/src/providers/bm25/rank.ts', 're2js'],
    ['packages/search/src/index.ts', './providers/regex/regex-provider.ts'],
    ['packages/search/src/regex.ts', 'lodash'],
    ['packages/search/src/text/stem.ts', '../providers/bm25/rank.ts'],
    ['packages/search/src/text/stem.ts', '../tool.ts'],
    ['packages/search/src/query/parse-query.ts', '../providers/bm25/rank.ts'],
    ['packages/search/src/query/parse-query.ts', '../tool-index/tool-index.ts'],
    ['packages/search/src/providers/bm25/rank.ts', '../../tool-index/tool-index.ts'],
    ['packages/search/src/providers/bm25/rank.ts', '../../index.ts'],
    ['packages/gateway/src/calls/call.ts', '../store/sqlite.ts'],
    ['packages/gateway/src/commands/serve.ts', '../store/open-store.ts'],
    ['packages/gateway/src/store/sql-store.ts', '../config/merge-config.ts'],
    ['packages/gateway/src/admin/api/admin-api.ts', '../../commands/serve.ts'],
    ['packages/gateway/src/calls/call.ts', '@modelcontextprotocol/server'],
    ['packages/gateway/src/access/eligible-tools.ts', 'node:fs'],
    ['packages/gateway/src/servers/pool.ts', '../catalog/catalog.ts'],
    ['packages/gateway/src/catalog/catalog.ts', '../clients/http/http-server.ts'],
    ['packages/gateway/src/calls/call.ts', '../dialects/router.ts'],
  ])('complains when %s imports %s', (path, specifier) => {
    expect(complaints(path, specifier)).toHaveLength(1)
  })

  it.each([
    ['packages/search/src/tool-index/tool-index.ts', '../providers/bm25/rank.ts'],
    ['packages/search/src/providers/regex/regex-provider.ts', 're2js'],
    ['packages/search/src/regex.ts', './providers/regex/regex-provider.ts'],
    ['packages/search/src/text/stem.ts', './normalise.ts'],
    ['packages/search/src/query/parse-query.ts', '../text/tokenise.ts'],
    ['packages/search/src/providers/bm25/rank.ts', '../../query/query.ts'],
    ['packages/gateway/src/commands/gateway/open-store.ts', '../../store/open-store.ts'],
    ['packages/gateway/src/servers/stdio.ts', '@modelcontextprotocol/client'],
  ])('lets %s import %s', (path, specifier) => {
    expect(complaints(path, specifier)).toEqual([])
  })
})

describe('folderCycles', () => {
  const a = file('src/a/x.ts', `import type { Y } from '../b/y.ts'`)

  it('finds a circle of type imports, and one of three folders', () => {
    const b = file('src/b/y.ts', `import type { X } from '../a/x.ts'`)
    expect(folderCycles([a, b])).toEqual([
      'src/a/ is part of a cycle of folders',
      'src/b/ is part of a cycle of folders',
    ])
    const around = [file('src/b/y.ts', `import '../c/z.ts'`), file('src/c/z.ts', `import '../a/x.ts'`)]
    expect(folderCycles([a, ...around])).toHaveLength(3)
  })

  it('accepts one direction, and files beside the folders', () => {
    expect(
      folderCycles([a, file('src/b/y.ts', `import '../main.ts'`), file('src/main.ts', `import './b/y.ts'`)]),
    ).toEqual([])
  })
})

describe('missingTests', () => {
  const complaints = (text: string) =>
    missingTests(file('SECURITY.md', text), [file('a.test.ts', "it('holds: %s', f)")])

  it('accepts rows that name an existing test', () => {
    for (const title of ['“holds: %s”', '_holds: %s_'])
      expect(complaints(`| Threat | Test |\n| ------ | - |\n| x | [a](a.test.ts) ${title} |`)).toEqual([])
  })

  it('finds tests that do not exist, and rows without one', () => {
    expect(complaints('| x | [a](a.test.ts) “gone” |')).toHaveLength(1)
    expect(complaints('| x | [b](b.test.ts) “holds: %s” |')).toHaveLength(1)
    expect(complaints('| x | open |')).toHaveLength(1)
  })
})

describe('deadPaths', () => {
  const paths = new Set(['docs', 'docs/a.md', 'docs/b.md', 'packages/p', 'packages/p/src', 'packages/p/src/x/y.ts'])
  const target = file('docs/b.md', '# Title\n\n## How it works, and why')
  const complaints = (text: string, path = 'docs/a.md') => deadPaths(file(path, text), paths, [target])

  it('accepts existing paths', () => {
    const text = '[b](b.md) [up](../docs/b.md#how-it-works-and-why) [web](https://x.org/y.md) `packages/p/src/x/y.ts`'
    expect(complaints(text)).toEqual([])
    expect(complaints('`x/y.ts` and `packages/p/`', 'packages/p/README.md')).toEqual([])
  })

  it.each([
    '[gone](gone.md)',
    '[gone](../b.md)',
    '[b](b.md#no-such-heading)',
    '`packages/p/src/gone.ts`',
    '`packages/gone/`',
  ])('complains about %s', (text) => {
    expect(complaints(text)).toHaveLength(1)
  })

  it('ignores blocks of code', () => {
    expect(complaints('```\n[gone](gone.md) `x/gone.ts`\n```')).toEqual([])
  })
})

describe('foldersInTree', () => {
  const document = '```\npackages/\n  p/src/     words\n    a/       b/{c}/  d/\n    e/  f/\n```'
  const all = ['a', 'a/b', 'a/b/c', 'a/d', 'e', 'f'].map((folder) => `packages/p/src/${folder}`)

  it('accepts a tree that shows every folder', () => {
    expect(foldersInTree(document, new Set(all))).toEqual({ missing: [], unknown: [] })
  })

  it('reports a folder that the tree lacks, and one that does not exist', () => {
    expect(foldersInTree(document, new Set([...all.slice(0, -1), 'packages/p/src/g']))).toEqual({
      missing: ['packages/p/src/g'],
      unknown: ['packages/p/src/f'],
    })
  })
})

describe('undocumentedErrors', () => {
  it('accepts a page with headings or a table', () => {
    expect(undocumentedErrors(['NOT_FOUND', 'INVALID_TOOL'], '## `NOT_FOUND`\n\n| `INVALID_TOOL` | … |')).toEqual([])
  })

  it('complains about codes on one side only', () => {
    expect(undocumentedErrors(['NOT_FOUND'], '## `OLD_CODE`\n')).toEqual([
      'NOT_FOUND is not explained',
      'OLD_CODE is explained but does not exist',
    ])
  })
})

describe('longFiles', () => {
  it('complains beyond 400 lines, except about a known table', () => {
    const files = [file('long.ts', 'x\n'.repeat(401)), file('short.ts', 'x\n'.repeat(400))]
    expect(longFiles(files, new Map())).toEqual(['long.ts has 401 lines, more than 400'])
    expect(longFiles(files, new Map([['long.ts', 'data']]))).toEqual([])
  })
})

describe('heldBackTests', () => {
  it.each([
    ['it', 'skip'],
    ['describe', 'only'],
    ['test', 'todo'],
    ['it', 'concurrent', 'skip'],
  ])('complains about %s.%s', (...words) => {
    expect(heldBackTests([file('a.test.ts', `${words.join('.')}('x', () => {})`)])).toHaveLength(1)
  })

  it('accepts a table', () => {
    expect(heldBackTests([file('a.test.ts', `it.each([1])('x', () => {})`)])).toEqual([])
  })
})

describe('downloadAddresses', () => {
  it('complains about an address, not about a workspace', () => {
    expect(downloadAddresses('"resolved": "packages/search"')).toEqual([])
    expect(downloadAddresses('"resolved": "https://example.org/a.tgz"')).toHaveLength(1)
  })
})

describe('machineTraces', () => {
  it.each([
    ['', 'home', 'ada', 'code'].join('/'),
    `at ${['', 'Users', 'ada', 'x.ts'].join('/')}`,
    ['"', 'work', 'main"'].join('/'),
    ['https://registry', 'npmjs', 'org'].join('.'),
  ])('complains about %s', (text) => {
    expect(machineTraces([file('a.md', text)])).toHaveLength(1)
  })

  it.each(['packages/work/a.ts', 'https://example.org/home/page', '../home/x', '/etc/hosts'])('accepts %s', (text) => {
    expect(machineTraces([file('a.md', text)])).toEqual([])
  })
})
