import { defineConfig } from 'vitest/config'
import { closingLine } from './scripts/closing-line.ts'

export default defineConfig({
  resolve: { conditions: ['tooldex-source'] },
  ssr: { resolve: { conditions: ['tooldex-source'] } },
  test: {
    include: ['packages/*/{src,eval,bench}/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts'],
    // Nothing here keeps state in a module, so that files can share a worker; it halves the time.
    isolate: false,
    globalSetup: ['test/kit/postgres-setup.ts'],
    reporters: ['default', closingLine()],
  },
})
