import type { Reporter, TestModule } from 'vitest/node'

/** Ends a test run with `N passed, N failed` on a line of its own, for whoever counts tests by reading the output. */
export function closingLine(): Reporter {
  return {
    onTestRunEnd(modules, unhandledErrors) {
      const { passed, failed } = countTests(modules, unhandledErrors.length)
      process.once('exit', () => process.stdout.write(`${passed} passed, ${failed} failed\n`))
    },
  }
}

/** A file that does not load and an error that belongs to no test each count as one failure. */
function countTests(modules: readonly TestModule[], unhandled: number): { passed: number; failed: number } {
  let passed = 0
  let failed = unhandled
  for (const module of modules) {
    failed += module.errors().length
    for (const test of module.children.allTests()) {
      if (test.result().state === 'passed') passed++
      if (test.result().state === 'failed') failed++
    }
  }
  return { passed, failed }
}
