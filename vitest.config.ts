import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['packages/*/{src,eval,bench}/**/*.test.ts', 'test/**/*.test.ts'],
  },
})
