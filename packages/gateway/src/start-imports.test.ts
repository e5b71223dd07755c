import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/** Loads the modules that `tooldex serve` loads before it listens, in a separate process, and reports them. */
const SCRIPT = `
  import { registerHooks } from 'node:module'
  const files = []
  registerHooks({ load: (url, context, next) => (files.push(url), next(url, context)) })
  await Promise.all(['commands/main.ts', 'commands/serve.ts', 'assemble.ts'].map((path) => import(process.argv[1] + path)))
  process.stdout.write(JSON.stringify({ files, builtIn: process.moduleLoadList }))
`

it('starts without loading what only some gateways need: the SDK, the client library of Prometheus, fetch, tracing, the admin API, the database, regular expressions, JWTs', async () => {
  const here = new URL('.', import.meta.url).href
  const args = ['--conditions=tooldex-source', '--input-type=module', '--eval', SCRIPT, here]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 10_000_000 })
  const { files, builtIn } = JSON.parse(stdout) as { files: string[]; builtIn: string[] }
  expect(files).toContain(`${here}assemble.ts`)
  const unwanted =
    /@modelcontextprotocol|prom-client|@opentelemetry|otlp-tracing|admin-api|\/(?:hono|pg|jose|kysely|re2js)\//
  expect(files.filter((url) => unwanted.test(url))).toEqual([])
  // One import of `node:http` is enough to load it.
  expect(builtIn.filter((name) => name.includes('undici'))).toEqual([])
})
