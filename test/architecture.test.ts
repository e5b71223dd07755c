import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { GATEWAY_ERROR_CODES } from '../packages/gateway/src/errors.ts'
import { TOOL_SEARCH_ERROR_CODES } from '../packages/search/src/errors.ts'
import { missingPlatformPackages } from '../scripts/complete-lockfile.mjs'
import { deadPaths, foldersInTree, missingTests } from './architecture/docs.ts'
import { undocumentedErrors } from './architecture/errors.ts'
import { downloadAddresses, heldBackTests, longFiles, machineTraces, movableActions } from './architecture/files.ts'
import { IMPORT_RULES } from './architecture/import-rules.ts'
import { folderCycles, forbiddenImports } from './architecture/imports.ts'
import { isTest, repositoryFiles, repositoryPaths } from './repository-files.ts'

/** Long files that hold data and no control flow, with the reason why they are one file. */
const DATA_TABLES = new Map([
  ['packages/search/src/text/synonym-table.ts', 'the synonyms of tool vocabulary, one group a line'],
])

const TEXT = /\.(?:ts|mjs|js|json|jsonl|md|yml|yaml|sh|css|html)$|^\.ci\/run$|^\.\w+$/
const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const isSource = (path: string): boolean => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path)

describe('the code', () => {
  it('imports in one direction only', () => {
    const sources = repositoryFiles((path) => isSource(path) && !isTest(path))
    expect(sources.length).toBeGreaterThan(0)
    expect(forbiddenImports(IMPORT_RULES, sources)).toEqual([])
  })

  it('has no folders that import each other, types included', () => {
    expect(folderCycles(repositoryFiles((path) => isSource(path) && !isTest(path)))).toEqual([])
  })

  it('has no long files except tables of data', () => {
    expect(longFiles(repositoryFiles(isSource), DATA_TABLES)).toEqual([])
  })

  it('skips no test', () => {
    expect(heldBackTests(repositoryFiles(isTest))).toEqual([])
  })

  it('pins the actions of its workflows by commit', () => {
    const workflows = repositoryFiles((path) => path.startsWith('.github/workflows/'))
    expect(workflows.map(({ path }) => path)).toContain('.github/workflows/release.yml')
    expect(movableActions(workflows)).toEqual([])
  })

  it('contains no paths of a developer’s machine', () => {
    expect(machineTraces(repositoryFiles((path) => TEXT.test(path)))).toEqual([])
  })
})

describe('the documents', () => {
  const isDocument = (path: string): boolean => /^(?:[A-Z]+\.md|docs\/.*\.md|packages\/[^/]+\/README\.md)$/.test(path)
  const documents = repositoryFiles(isDocument)
  const paths = new Set(repositoryPaths())

  it('link only to existing paths', () => {
    expect(documents.map(({ path }) => path)).toEqual(expect.arrayContaining(['README.md', 'ARCHITECTURE.md']))
    expect(documents.flatMap((document) => deadPaths(document, paths, documents))).toEqual([])
  })

  it('name a test that exists for every threat in SECURITY.md', () => {
    const document = { path: 'SECURITY.md', text: read('SECURITY.md') }
    const isProof = (path: string): boolean => /\.(?:test|case)\.ts$|^test\//.test(path)
    expect(document.text).toMatch(/^\| Threat/m)
    expect(missingTests(document, repositoryFiles(isProof))).toEqual([])
  })

  it('explain every error, and no unknown one', () => {
    expect(undocumentedErrors(TOOL_SEARCH_ERROR_CODES, read('docs/reference/errors.md'))).toEqual([])
    expect(undocumentedErrors(GATEWAY_ERROR_CODES, read('docs/reference/gateway-errors.md'))).toEqual([])
  })

  it('show every source folder in the tree of ARCHITECTURE.md, and no other', () => {
    const sources = repositoryFiles((path) => isSource(path) && !isTest(path)).map(({ path }) => path)
    const folders = new Set(
      sources
        .filter((path) => !/\/fixtures\/|^packages\/(?:search|gateway)\/src\/[^/]+$/.test(path))
        // The other packages are small; the tree shows their root.
        .map((path) => (/^packages\/(?:search|gateway)\//.test(path) ? path : path.replace(/\/src\/.*/, '/src/x')))
        .map((path) => path.slice(0, path.lastIndexOf('/'))),
    )
    expect(foldersInTree(read('ARCHITECTURE.md'), folders)).toEqual({ missing: [], unknown: [] })
  })

  it('keep ARCHITECTURE.md short', () => {
    expect(read('ARCHITECTURE.md').split('\n').length).toBeLessThan(300)
  })
})

describe('the lockfile', () => {
  it('has no download addresses', () => {
    expect(downloadAddresses(read('package-lock.json'))).toEqual([])
  })

  it('lists the packages of every platform, without which npm ci refuses it', () => {
    expect(missingPlatformPackages(JSON.parse(read('package-lock.json')))).toEqual([])
  })
})
