import { defineConfig } from 'vitest/config'
import { closingLine } from './scripts/closing-line.ts'

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['packages/*/{src,eval,bench}/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts'],
    reporters: ['default', closingLine()],
  },
})
