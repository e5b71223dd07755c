import { join } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { thirdParty } from '../../scripts/third-party.ts'

/** Where `npm run dev` finds the gateway. */
const GATEWAY = 'http://127.0.0.1:7420'

// Tests build the console with NODE_ENV=test, which would bundle the development build of React.
if (process.argv.includes('build')) process.env['NODE_ENV'] = 'production'

export default defineConfig({
  base: '/console/',
  plugins: [react(), tailwindcss(), thirdParty(import.meta.dirname, join(import.meta.dirname, 'dist'))],
  resolve: { conditions: ['tooldex-source', 'module', 'browser', 'development|production'] },
  // The content security policy of the gateway forbids data: URLs and inline scripts.
  build: {
    outDir: 'dist/app',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': GATEWAY } },
})
