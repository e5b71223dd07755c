import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FINDING_RULES } from '../../packages/contract/src/index.ts'
import { ROOT } from '../../scripts/packages.ts'
import { Machine } from '../kit/program.ts'
import { patternOf, stepsOf } from './walk.ts'

const PAGE = readFileSync(join(ROOT, 'docs/guide/trust.md'), 'utf8')

describe('docs/guide/trust.md', () => {
  let machine: Machine
  beforeAll(() => {
    machine = new Machine()
  })
  afterAll(() => machine[Symbol.asyncDispose]())

  it('works as written, command by command', async () => {
    for (const { command, exitCode, output } of stepsOf(PAGE)) {
      if (/^tooldex serve\b/.test(command)) {
        expect((await machine.serve()).out).toMatch(patternOf(output))
        continue
      }
      const { code, out, err } = await machine.run(command)
      expect({ command, code, output: code === exitCode ? '' : out + err }).toEqual({
        command,
        code: exitCode,
        output: '',
      })
      expect(out, command).toMatch(patternOf(output))
    }
  }, 120_000)

  it('explains every rule of the scanner, and no other', () => {
    const explained = [...PAGE.matchAll(/^\| `([a-z-]+)` +\| [a-z]/gm)].map(([, rule]) => rule)
    expect(explained.toSorted()).toEqual(FINDING_RULES.toSorted())
  })
})
