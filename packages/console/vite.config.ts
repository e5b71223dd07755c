import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'
import { thirdParty } from '../../scripts/third-party.ts'

/** Where `npm run dev` finds the gateway. */
const GATEWAY = 'http://127.0.0.1:7420'

// Tests build the console with NODE_ENV=test, which would bundle the development build of React.
if (process.argv.includes('build')) process.env['NODE_ENV'] = 'production'

const BASE = '/console/'

export default defineConfig({
  base: BASE,
  plugins: [
    react(),
    tailwindcss(),
    thirdParty(import.meta.dirname, join(import.meta.dirname, 'dist')),
    firstPage(),
    compressed(),
  ],
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

/** Adds a script that asks for the code of the opened page beside the first scripts; on a slow line it would come after them. */
function firstPage(): Plugin {
  return {
    name: 'first-page',
    apply: 'build',
    transformIndexHtml: () => [
      { tag: 'script', attrs: { src: `${BASE}first-page.js`, async: true }, injectTo: 'head' },
    ],
    generateBundle(_options, bundle) {
      const chunks = new Map(
        Object.entries(bundle).flatMap(([file, each]) => (each.type === 'chunk' ? [[file, each]] : [])),
      )
      const closure = (file: string, found = new Set<string>()): Set<string> => {
        if (!found.has(file)) {
          found.add(file)
          for (const each of chunks.get(file)?.imports ?? []) closure(each, found)
        }
        return found
      }
      const first = new Set([...chunks].flatMap(([file, { isEntry }]) => (isEntry ? [...closure(file)] : [])))
      const pages = new Map([...chunks].flatMap(([file, chunk]) => pageIn(chunk).map((page) => [page, file])))
      const files = [...pages].map(([page, file]) => {
        // `server` is the page of one of the `servers`.
        const path = page === 'home' ? '' : pages.has(`${page}s`) ? `${page}s/*` : page
        return [path, [...closure(file)].filter((each) => !first.has(each)).map((each) => BASE + each)]
      })
      this.emitFile({ type: 'asset', fileName: 'first-page.js', source: askFor(files) })
    },
  }
}

/** `servers` in the code of `src/servers/servers-page.tsx`. */
function pageIn({ facadeModuleId }: Rolldown.OutputChunk): string[] {
  const name = basename(facadeModuleId ?? '', '-page.tsx')
  return facadeModuleId?.endsWith('-page.tsx') === true ? [name] : []
}

const askFor = (files: readonly unknown[]): string => `{
  const [kind, id] = location.pathname.slice(${BASE.length}).split('/')
  for (const href of new Map(${JSON.stringify(files)}).get(id ? kind + '/*' : kind) ?? [])
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', crossOrigin: '', href }))
}
`

/** Smaller files gain less than a packet. */
const WORTH_BYTES = 2_000

/** Compresses what the gateway sends, as well as it goes. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    writeBundle({ dir = '' }, bundle) {
      for (const file of Object.keys(bundle).filter((name) => /\.(?:js|css|html)$/.test(name))) {
        const plain = readFileSync(join(dir, file))
        if (plain.length >= WORTH_BYTES) writeFileSync(join(dir, `${file}.br`), brotliCompressSync(plain))
      }
    },
  }
}
