import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { definitionOf } from './fake-pool.case.ts'
import { type LastGoodLists, originOf } from '../model/last-good.ts'
import { LastGoodFiles } from './last-good-files.ts'

const listsOf = (tool: string): LastGoodLists => ({
  origin: 'o',
  instructions: 'About.',
  lists: { tools: [{ name: tool }], prompts: [], resources: [{ uri: 'a:b' }], resourceTemplates: [] },
})

describe('LastGoodFiles', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'last-good-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  const onlyFile = async (): Promise<string> => {
    const [name = '', ...others] = await readdir(folder)
    expect(others).toEqual([])
    return join(folder, name)
  }

  it('returns stored lists, also after a restart', async () => {
    await new LastGoodFiles(folder).save('s', listsOf('t'))
    expect(await new LastGoodFiles(folder).load('s')).toEqual(listsOf('t'))
    expect(await new LastGoodFiles(folder).load('other')).toBeUndefined()
    expect((await stat(await onlyFile())).mode & 0o077).toBe(0)
  })

  it('creates its folder at the first write', async () => {
    const files = new LastGoodFiles(join(folder, 'deep', 'er'))
    expect(await files.load('s')).toBeUndefined()
    await files.save('s', listsOf('t'))
    expect(await files.load('s')).toEqual(listsOf('t'))
  })

  it('treats damaged files as missing, wherever they are truncated', async () => {
    const files = new LastGoodFiles(folder)
    await files.save('s', listsOf('t'))
    const path = await onlyFile()
    const whole = await readFile(path, 'utf8')
    for (let at = 0; at < whole.length; at++) {
      await writeFile(path, whole.slice(0, at))
      expect(await files.load('s')).toBeUndefined()
    }
    for (const other of ['null', '[]', '{"format":1,"serverId":"s","origin":"o","lists":{"tools":[1]}}', '\0']) {
      await writeFile(path, other)
      expect(await files.load('s')).toBeUndefined()
    }
    await writeFile(path, whole.replace('"serverId":"s"', '"serverId":"x"'))
    expect(await files.load('s')).toBeUndefined()
    await files.save('s', listsOf('again'))
    expect(await files.load('s')).toEqual(listsOf('again'))
  })

  it('keeps the last of many concurrent writes and leaves no other file', async () => {
    const files = new LastGoodFiles(folder)
    await Promise.all(Array.from({ length: 20 }, (_, at) => files.save('s', listsOf(`t${at}`))))
    expect(await files.load('s')).toEqual(listsOf('t19'))
    await onlyFile()
    await files.save('s', { ...listsOf('t'), asksClients: true })
    expect(await files.load('s')).toEqual({ ...listsOf('t'), asksClients: true })
  })

  it('distinguishes ids that a file system might not, and never leaves its folder', async () => {
    const files = new LastGoodFiles(folder)
    const ids = ['a', 'A', '..', '../x', '/etc/passwd', '__proto__', 'con', 'é', 'x'.repeat(5_000)]
    for (const id of ids) await files.save(id, listsOf(id))
    for (const id of ids) expect(await files.load(id)).toEqual(listsOf(id))
    expect(await readdir(folder)).toHaveLength(ids.length)
  })

  it('rejects if it cannot write, and stays usable', async () => {
    const blocked = join(folder, 'file')
    await writeFile(blocked, '')
    const files = new LastGoodFiles(blocked)
    await expect(files.save('s', listsOf('t'))).rejects.toThrow(/EEXIST|ENOTDIR/)
    await rm(blocked)
    await files.save('s', listsOf('t'))
    expect(await files.load('s')).toEqual(listsOf('t'))
  })
})

describe('originOf', () => {
  it('depends on command and URL, but not on secrets or limits', () => {
    const stdio = definitionOf('s')
    const origin = originOf(stdio)
    expect(originOf({ ...stdio, name: 'other', start: 'on-demand' })).toBe(origin)
    const transport = { kind: 'stdio', command: 'true', args: [], env: { KEY: 'secret' } } as const
    expect(originOf({ ...stdio, transport })).toBe(origin)
    expect(originOf({ ...stdio, transport: { ...transport, args: ['x'] } })).not.toBe(origin)
    expect(originOf({ ...stdio, transport: { kind: 'http', url: 'http://x', headers: {} } })).not.toBe(origin)
  })
})
