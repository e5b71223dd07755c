import type { Reporter, TestModule } from 'vitest/node'

/**
 * Ends a test run with `N passed, N failed` on a line of its own, for whoever counts tests by reading the output. Before
 * it, each test that passed only when it was run again.
 */
export function closingLine(): Reporter {
  return {
    onTestRunEnd(modules, unhandledErrors) {
      const { passed, failed, unsteady } = countTests(modules, unhandledErrors.length)
      const lines = [...unsteady.map((name) => `unsteady: ${name}`), `${passed} passed, ${failed} failed`]
      process.once('exit', () => process.stdout.write(`${lines.join('\n')}\n`))
    },
  }
}

/** A file that does not load and an error that belongs to no test each count as one failure. */
function countTests(modules: readonly TestModule[], unhandled: number): Counts {
  const unsteady: string[] = []
  let passed = 0
  let failed = unhandled
  for (const module of modules) {
    failed += module.errors().length
    for (const test of module.children.allTests()) {
      if (test.result().state === 'passed') passed++
      if (test.diagnostic()?.flaky === true) unsteady.push(`${module.relativeModuleId} > ${test.fullName}`)
      if (test.result().state === 'failed') failed++
    }
  }
  return { passed, failed, unsteady }
}

interface Counts {
  readonly passed: number
  readonly failed: number
  readonly unsteady: readonly string[]
}
