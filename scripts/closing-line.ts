import type { Reporter, TestModule } from 'vitest/node'

/** Ends a test run with `N passed, N failed` on a line of its own, for programs that read the output. */
export function closingLine(): Reporter {
  return {
    onTestRunEnd(modules, unhandledErrors) {
      const { passed, failed } = countTests(modules, unhandledErrors.length)
      process.once('exit', () => process.stdout.write(`${passed} passed, ${failed} failed\n`))
    },
  }
}

/** A file that does not load and an error outside of any test each count as one failure. */
function countTests(modules: readonly TestModule[], unhandled: number): { passed: number; failed: number } {
  let passed = 0
  let failed = unhandled
  for (const module of modules) {
    failed += module.errors().length
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (state === 'passed') passed++
      if (state === 'failed') failed++
    }
  }
  return { passed, failed }
}
