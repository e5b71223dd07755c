import { defineConfig } from 'vitest/config'
import { closingLine } from './scripts/closing-line.ts'

export default defineConfig({
  resolve: { conditions: ['tooldex-source'] },
  ssr: { resolve: { conditions: ['tooldex-source'] } },
  test: {
    include: ['packages/*/{src,eval,bench,train}/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts'],
    // Nothing here keeps state in a module, so that files can share a worker; it halves the time.
    isolate: false,
    // Real programs, databases and browsers on a machine that does other things as well: one test may have bad luck once.
    // Whatever passes only then is named at the end, to be looked into.
    retry: 1,
    // Limits are for what hangs. What is merely slow on a busy machine is right all the same.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    globalSetup: ['test/kit/postgres-setup.ts'],
    reporters: ['default', closingLine()],
  },
})
