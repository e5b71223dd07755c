import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { GatewayError } from '../../errors.ts'
import { ConsoleFiles } from './console-files.ts'

describe('ConsoleFiles', () => {
  let folder: string
  let server: Server
  let base: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'console-'))
    await mkdir(join(folder, 'app', 'assets'), { recursive: true })
    await writeFile(join(folder, 'secret.txt'), 'secret')
    await writeFile(join(folder, 'app', 'index.html'), '<!doctype html><title>Console</title>')
    await writeFile(join(folder, 'app', 'assets', 'index-1.js'), 'export {}')
    await writeFile(join(folder, 'app', 'assets', 'index-2.js'), 'export { plain }')
    await writeFile(join(folder, 'app', 'assets', 'index-2.js.br'), brotliCompressSync('export { brotli }'))
    const files = new ConsoleFiles(pathToFileURL(`${join(folder, 'app')}/`))
    server = createServer((req, res) => {
      files.answer(req, res).catch((error: unknown) => {
        res.writeHead(404).end(error instanceof GatewayError ? error.code : 'thrown')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })

  afterEach(async () => {
    await new Promise((resolve) => server.close(resolve))
    await rm(folder, { recursive: true })
  })

  it('serves the page for every path that is not a file', async () => {
    for (const path of ['/console', '/console/', '/console/servers/github', '/console/tools/a%3Ab?x=1']) {
      const answer = await fetch(base + path)
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(await answer.text()).toContain('<title>Console</title>')
      expect(answer.headers.get('cache-control')).toBe('no-cache')
    }
  })

  it('allows no foreign resource and no inline script', async () => {
    const policy = (await fetch(`${base}/console/`)).headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).not.toContain('unsafe')
  })

  it('lets browsers cache files with a hash in their name for ever', async () => {
    const answer = await fetch(`${base}/console/assets/index-1.js`)
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect(answer.headers.get('cache-control')).toContain('immutable')
    expect(await answer.text()).toBe('export {}')
  })

  it('sends what the build compressed to browsers that can read it, and the compressed file by no other name', async () => {
    const get = async (path: string, accepted: string): Promise<unknown[]> => {
      const answer = await fetch(`${base}/console/assets/${path}`, { headers: { 'accept-encoding': accepted } })
      return [answer.status, answer.headers.get('content-encoding'), await answer.text()]
    }
    expect(await get('index-2.js', 'gzip, deflate, br, zstd')).toEqual([200, 'br', 'export { brotli }'])
    expect(await get('index-2.js', 'gzip;q=1.0, *;q=0.5')).toEqual([200, 'gzip', 'export { plain }'])
    expect(await get('index-2.js', 'identity')).toEqual([200, null, 'export { plain }'])
    expect(await get('index-1.js', 'br, gzip')).toEqual([200, 'gzip', 'export {}'])
    expect(await get('index-2.js.br', 'br')).toEqual([404, null, 'PATH_NOT_FOUND'])
  })

  it('asks to reload an outdated page instead of serving a page as a script', async () => {
    const answer = await fetch(`${base}/console/assets/index-0.js`)
    expect([answer.status, await answer.text()]).toEqual([404, 'PATH_NOT_FOUND'])
  })

  it('serves nothing outside its folder', async () => {
    for (const path of [
      '/console/../secret.txt',
      '/console/%2e%2e/secret.txt',
      '/console/..%2fsecret.txt',
      '/console//etc/passwd',
    ]) {
      expect(await (await fetch(base + path)).text()).not.toContain('secret')
    }
  })
})
