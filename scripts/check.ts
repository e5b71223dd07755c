// `npm run check`: all static checks, side by side, then the build. One line per check, and the output of a tool only when it fails.
import { packageFolders } from './packages.ts'
import { run, type RunResult } from './run.ts'

interface Check {
  readonly name: string
  readonly commands: readonly (readonly [command: string, ...args: string[]])[]
}

const CHECKS: readonly Check[] = [
  {
    name: 'types',
    commands: [
      ['tsc', '-p', '.'],
      ['tsc', '-p', 'packages/console'],
      // Apart from the others, which need none of its native packages.
      ['tsc', '-p', 'packages/engine-lance'],
    ],
  },
  { name: 'format', commands: [['biome', 'format']] },
  { name: 'lint', commands: [['oxlint', '--type-aware']] },
  { name: 'unused files, exports and dependencies', commands: [['knip', '--no-progress']] },
]

/** Runs after the others: the linter follows imports into the folders that a build removes first. */
const BUILD: Check = {
  name: 'packages build and can be published',
  commands: [
    ['node', 'scripts/build.ts'],
    ...packageFolders().map((folder) => ['publint', 'run', folder, '--strict', '--pack', 'npm'] as const),
  ],
}

/** Runs a check's commands in order until one fails. */
async function runAll({ commands }: Check): Promise<RunResult> {
  for (const [command, ...args] of commands) {
    const result = await run(command, args)
    if (result.code !== 0) return result
  }
  return { code: 0, output: '' }
}

async function passes(check: Check): Promise<boolean> {
  const start = performance.now()
  const { code, output } = await runAll(check)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  process.stdout.write(`  ${code === 0 ? '✓' : '✗'} ${check.name} ${seconds} s\n`)
  if (code !== 0) process.stdout.write(`${output}\n\n`)
  return code === 0
}

const results = [...(await Promise.all(CHECKS.map(passes))), await passes(BUILD)]
const failed = results.filter((passed) => !passed).length
if (failed > 0) {
  process.stdout.write(`  ${failed} of ${results.length} checks failed; \`npm run format\` fixes the format\n`)
  process.exitCode = 1
}
