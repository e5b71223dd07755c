import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { closingLine } from './scripts/closing-line.ts'

export default defineConfig({
  resolve: { conditions: ['tooldex-source'] },
  ssr: { resolve: { conditions: ['tooldex-source'] } },
  test: {
    include: ['packages/*/{src,eval,bench,train}/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts'],
    // No module keeps state, so test files can share a worker; it halves the time.
    isolate: false,
    // Many tests wait for programs and timers, so that there is room for one file more than there are cores.
    maxWorkers: availableParallelism() + 1,
    // A test that fails is red: a second attempt would hide what is unsteady.
    retry: 0,
    // Limits end what hangs. The slowest tests (browsers, whole programs) state a limit of their own.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A second is too short for a busy machine, and a condition that holds is seen at once.
    expect: { poll: { timeout: 20_000 } },
    // LanceDB warns of every list of an index that stays empty, as most do in the small tables of tests.
    env: { LANCEDB_LOG: 'error' },
    globalSetup: ['test/kit/shared-setup.ts'],
    reporters: ['default', closingLine()],
  },
})
