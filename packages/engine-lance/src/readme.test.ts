import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { run } from '../../../scripts/run.ts'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))
const README = readFileSync(join(PACKAGE, 'README.md'), 'utf8')

/** The contents of the fenced blocks in a language, in order. */
function blocks(language: string): string[] {
  return [...README.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, 'gm'))].map(([, content = '']) => content)
}

describe('the README of @tooldex/engine-lance', () => {
  const project = mkdtempSync(join(tmpdir(), 'tooldex-lance-readme-'))
  afterAll(() => rmSync(project, { recursive: true, force: true }))

  it('shows examples that run in order and print the output shown below them', async () => {
    for (const [name, folder] of [
      ['engine-lance', '.'],
      ['search', '../search'],
    ] as const) {
      const installed = join(project, 'node_modules/@tooldex', name)
      mkdirSync(dirname(installed), { recursive: true })
      symlinkSync(join(PACKAGE, folder), installed, 'junction')
    }
    const file = join(project, 'first.mjs')
    writeFileSync(file, blocks('js').join('\n'))
    const { code, output } = await run(process.execPath, ['--conditions=tooldex-source', file], { cwd: project })
    expect({ code, output }).toEqual({ code: 0, output: blocks('text').join('').trim() })
  })
})
