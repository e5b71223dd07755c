import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useCommands } from './use-commands.case.ts'

const { folder, run } = useCommands()
const execute = promisify(execFile)

/** The completions of bash at the end of a line, with a fake program that knows one server. */
async function offered(line: readonly string[]): Promise<string[]> {
  const script = join(folder(), 'completion.bash')
  writeFileSync(script, (await run('completion bash')).out())
  const words = line.map((word) => `'${word}'`).join(' ')
  const body = `tooldex() { echo known-server; }; source '${script}'; COMP_WORDS=(${words}); COMP_CWORD=${line.length - 1}; _tooldex; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await execute('bash', ['-c', body], { cwd: folder() })
  return stdout.split('\n').filter((each) => each !== '')
}

describe('tooldex completion', () => {
  it('completes commands, subcommands, options and ids in bash', async () => {
    expect(await offered(['tooldex', 'se'])).toEqual(['setup', 'serve', 'servers', 'search-api', 'server', 'secrets'])
    expect(await offered(['tooldex', 'server', 'r'])).toEqual(['restart', 'remove'])
    expect(await offered(['tooldex', 'project', 'tool', '--d'])).toEqual([
      '--data',
      '--database',
      '--deny',
      '--defer',
      '--describe',
    ])
    expect(await offered(['tooldex', 'server', 'show', 'kn'])).toEqual(['known-server'])
    expect(await offered(['tooldex', 'completion', 'f'])).toEqual(['fish'])
    expect(await offered(['tooldex', 'audit', 'export', '--c'])).toEqual(['--config', '--csv'])
    expect(await offered(['tooldex', 'i'])).toEqual(['import'])
  })

  it('also supports zsh and fish, and rejects other shells', async () => {
    expect((await run('completion zsh')).out()).toMatch(/^#compdef tooldex\n[^]*' server add'\) found="/)
    expect((await run('completion fish')).out()).toContain(
      `complete -c tooldex -n '__tooldex_at " server"' -a 'list add`,
    )
    expect((await run('completion tcsh')).code).toBe(2)
  })
})
