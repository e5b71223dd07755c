#!/usr/bin/env node
import nodeModule from 'node:module'
import { nodeProblem } from './commands/node-version.ts'

// Nothing else may be imported before, not even by name from `node:module`: an older Node would fail somewhere inside,
// with a sentence that helps nobody.
const problem = nodeProblem(process.versions.node)
if (problem === undefined) {
  // Compiled code is kept between runs, in the system's folder for such things: a command starts in half the time.
  nodeModule.enableCompileCache()
  const { main } = await import('./commands/main.ts')
  process.exit(await main(process.argv.slice(2)))
} else {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 2
}
