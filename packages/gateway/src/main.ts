#!/usr/bin/env node
import nodeModule from 'node:module'
import { nodeProblem } from './commands/node-version.ts'

// Nothing else may be imported first, not even a name from `node:module`: an older Node would fail with an unclear error.
const problem = nodeProblem(process.versions.node)
if (problem === undefined) {
  // Node 22 warns that its SQLite is experimental, which a user of the program cannot act on.
  const warn = process.emitWarning.bind(process) as (...given: unknown[]) => void
  process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
    if (!String(warning).startsWith('SQLite is an experimental')) warn(warning, ...rest)
  }
  // Node caches compiled code between runs, which halves the start time of a command.
  nodeModule.enableCompileCache()
  const { main } = await import('./commands/main.ts')
  process.exit(await main(process.argv.slice(2)))
} else {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 2
}
