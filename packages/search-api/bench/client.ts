import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { gzipSync } from 'node:zlib'

/** A service in a process of its own. */
export interface BenchService {
  /** Milliseconds that an answer took, from sending the bytes to having all of it. */
  readonly ask: (body: Buffer, path?: string) => Promise<number>
  /** Uploads lines, and returns the path to search them under. */
  readonly upload: (lines: Buffer) => Promise<string>
  /** Milliseconds of processor time that it has used; the same on a machine that is busy otherwise. */
  cpuMs(): Promise<number>
  close(): void
}

const SECRET = 'tdx_bench'

/** Starts one. */
export async function startService(): Promise<BenchService> {
  const child = fork(new URL('service.ts', import.meta.url), {
    execArgv: ['--conditions=tooldex-source'],
    env: { ...process.env, BENCH_SECRET: SECRET },
  })
  const [url] = (await once(child, 'message')) as [string]
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${SECRET}` }
  const options = { method: 'POST', agent, headers }
  const ask = (body: Buffer, path = '/catalog/search') =>
    new Promise<number>((resolve, reject) => {
      const startedAt = performance.now()
      const sent = request(`${url}${path}`, options, (res) => {
        if (res.statusCode !== 200) reject(new Error(`status ${res.statusCode}`))
        res.resume().once('end', () => resolve(performance.now() - startedAt))
      })
      sent.once('error', reject).end(body)
    })
  const upload = async (lines: Buffer): Promise<string> => {
    const path = `/v1/catalogs/${createHash('sha256').update(lines).digest('hex')}`
    const type = { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' }
    const body = new Uint8Array(gzipSync(lines))
    const response = await fetch(`${url}${path}`, { method: 'PUT', headers: { ...headers, ...type }, body })
    if (response.status !== 201) throw new Error(`status ${response.status}`)
    return `${path}/search`
  }
  return {
    ask,
    upload,
    cpuMs: async () => {
      child.send('cpu')
      return ((await once(child, 'message')) as [number])[0]
    },
    close: () => {
      agent.destroy()
      child.disconnect()
    },
  }
}
