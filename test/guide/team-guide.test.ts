import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/packages.ts'
import { connect } from '../kit/clients.ts'
import { Machine, type RunningProgram } from '../kit/program.ts'
import { testDatabase } from '../kit/test-database.ts'
import { patternOf, type Step, stepsOf } from './walk.ts'

const STEPS = stepsOf(readFileSync(join(ROOT, 'docs/guide/team.md'), 'utf8'))

const REVOKES = STEPS.findIndex(({ command }) => command.startsWith('tooldex token revoke'))

/** Runs a part of the page; returns the secrets in its output, by token name. */
async function walk(machine: Machine, steps: readonly Step[]) {
  const secrets = new Map<string, string>()
  let gateway: RunningProgram | undefined
  for (const { command, exitCode, output } of steps) {
    if (/^tooldex serve\b/.test(command)) {
      gateway = await machine.serve()
      expect(gateway.out).toMatch(patternOf(output))
      continue
    }
    const { code, out, err } = await machine.run(command)
    expect({ command, code, output: code === exitCode ? '' : out + err }).toEqual({
      command,
      code: exitCode,
      output: '',
    })
    expect(`${out}${exitCode === 0 ? '' : err}`, command).toMatch(patternOf(output))
    const name = /--name (\S+)/.exec(command)?.[1]
    const secret = /tdx_[\w-]+/.exec(out)?.[0]
    if (name !== undefined && secret !== undefined) secrets.set(name, secret)
  }
  return { secrets, gateway }
}

/** The database of the run: in the data folder, or in PostgreSQL. */
async function databaseOf(
  kind: string,
): Promise<{ readonly variables: Record<string, string>; drop(): Promise<void> }> {
  if (kind === 'SQLite') return { variables: {}, drop: async () => {} }
  const { url, drop } = await testDatabase()
  return { variables: { TOOLDEX_DATABASE_URL: url }, drop }
}

describe.each(['SQLite', 'PostgreSQL'])('docs/guide/team.md on %s', (kind) => {
  let database: Awaited<ReturnType<typeof databaseOf>>
  let machine: Machine
  beforeAll(async () => {
    database = await databaseOf(kind)
    machine = new Machine(database.variables)
  })
  afterAll(async () => {
    await machine[Symbol.asyncDispose]()
    await database.drop()
  })

  it('works as written, command by command, and gives clients the tools it promises', async () => {
    const { secrets, gateway } = await walk(machine, STEPS.slice(0, REVOKES))
    const url = gateway?.url ?? ''
    const support = await connect('modern', url, secrets.get('support-bot'), 'support')
    const research = await connect('modern', url, secrets.get('researcher'), 'research')
    const names = async (client: typeof support) => (await client.listTools()).map(({ name }) => String(name))
    expect(await names(support)).not.toContain('files__write_file')
    expect(await names(research)).toEqual(expect.arrayContaining(['files__write_file', 'memory__create_entities']))
    await expect(connect('modern', url, secrets.get('support-bot'), 'research')).rejects.toThrow(/endpoint/i)
    await walk(machine, STEPS.slice(REVOKES))
    expect(await names(support)).toContain('files__write_file')
    await expect(names(research)).rejects.toThrow(/token/i)
    await Promise.allSettled([support.close(), research.close()])
  }, 300_000)
})
