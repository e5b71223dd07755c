import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../scripts/packages.ts'
import { run } from '../scripts/run.ts'

const PACKAGE = join(ROOT, 'packages/search')
const README = readFileSync(join(PACKAGE, 'README.md'), 'utf8')

/** The contents of the fenced blocks in a language, in order. */
function blocks(language: string): string[] {
  return [...README.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, 'gm'))].map(([, content = '']) => content)
}

describe('the README of @tooldex/search', () => {
  let project = ''

  // A user's project with the built package installed.
  beforeAll(async () => {
    project = mkdtempSync(join(tmpdir(), 'tooldex-readme-'))
    const installed = join(project, 'node_modules/@tooldex/search')
    mkdirSync(installed, { recursive: true })
    cpSync(join(PACKAGE, 'package.json'), join(installed, 'package.json'))
    symlinkSync(join(ROOT, 'node_modules/re2js'), join(project, 'node_modules/re2js'), 'junction')
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const { code, output } = await run(process.execPath, [tsc, '-p', PACKAGE, '--outDir', join(installed, 'dist')])
    if (code !== 0) throw new Error(output)
  })

  afterAll(() => rmSync(project, { recursive: true, force: true }))

  const runProgram = async (program: string): Promise<unknown> => {
    const file = join(project, 'first.mjs')
    writeFileSync(file, program)
    return run(process.execPath, [file])
  }

  it('shows a first result in ten lines that run unchanged', async () => {
    const [program = '', ...others] = blocks('js')
    const [output = ''] = blocks('text')
    expect(others.length).toBeGreaterThan(0)
    expect(program.trim().split('\n')).toHaveLength(10)
    expect(await runProgram(program)).toEqual({ code: 0, output: output.trim() })
  })

  it('shows examples that run in order and print the output shown below them', async () => {
    expect(await runProgram(blocks('js').join('\n'))).toEqual({ code: 0, output: blocks('text').join('').trim() })
  })
})
