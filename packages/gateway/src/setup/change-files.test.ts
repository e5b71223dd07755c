import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { planChange, undoChange, writeChange, type WrittenChange } from './change-files.ts'
import { specOf } from './client-specs.ts'
import { gatewayEdit, switchOffEdit } from './gateway-entry.ts'

const TARGET = { url: 'http://127.0.0.1:7420/mcp', token: 'tdx_secret', program: ['tooldex', 'stdio'] }

const samples = ['samples', '../../../../../shared/clients/fixtures']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((path) => specOf(basename(path).split('.')[0] ?? '') !== undefined)
  .filter((path) => /\.(?:user|project|workspace|project-bom-crlf)\.(?:mcp\.)?(?:jsonc?|toml|yaml)$/.test(path))

let folder = ''
const recorded: WrittenChange[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tooldex-files-'))
  recorded.length = 0
})
afterEach(() => rmSync(folder, { recursive: true }))

const cursor = (path: string) => ({ client: 'cursor', path, format: 'jsonc' as const })
const write = (plan: ReturnType<typeof planChange>): WrittenChange =>
  writeChange(plan, { folder: join(folder, 'backups'), now: 0, record: (change) => recorded.push(change) })
const connect = (path: string): WrittenChange => write(planChange(cursor(path), [gatewayEdit('cursor', TARGET)]))
const undo = (change: WrittenChange) => undoChange(change, join(folder, 'backups'))

describe('a change of a client’s file', () => {
  it.each(samples)('[U3] is undone byte for byte: %s', (sample) => {
    const [client = ''] = basename(sample).split('.')
    const isJson = sample.endsWith('.json') && client === 'continue'
    const path = join(folder, basename(sample))
    const before = readFileSync(sample)
    writeFileSync(path, before)
    const plan = planChange({ client, path, format: isJson ? 'json' : (specOf(client)?.format ?? 'jsonc') }, [
      isJson ? { path: ['mcpServers', 'tooldex'], value: {} } : gatewayEdit(client, TARGET),
    ])
    const change = write(plan)
    expect(readFileSync(path).equals(before)).toBe(false)
    expect(undo(change)).toMatchObject({ outcome: 'restored' })
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it('[U3] keeps the mode, and writes through a symbolic link', () => {
    const [file, link] = [join(folder, 'real.json'), join(folder, 'mcp.json')]
    writeFileSync(file, '{}')
    chmodSync(file, 0o640)
    symlinkSync(file, link)
    const change = connect(link)
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(statSync(file).mode & 0o777).toBe(0o640)
    expect(readFileSync(file, 'utf8')).toContain('tooldex')
    undo(change)
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777, lstatSync(link).isSymbolicLink()]).toEqual([
      '{}',
      0o640,
      true,
    ])
  })

  it('makes a missing file that only its owner may read, and removes it again', () => {
    const path = join(folder, 'new', 'mcp.json')
    const change = connect(path)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(undo(change)).toMatchObject({ outcome: 'removed' })
    expect(existsSync(path)).toBe(false)
  })

  it.each([
    ['broken', '{ "mcpServers": ', 'line 1'],
    ['half-written', '{\n  "mcpServers": {\n    "a": { "comm', 'line 3'],
    ['of two entries of one name', '{ "mcpServers": { "a": {}, "a": {} } }', 'given twice'],
  ])('is refused for a file that is %s', (_, text, place) => {
    const path = join(folder, 'mcp.json')
    writeFileSync(path, text)
    expect(() => connect(path)).toThrow(place)
    expect(readFileSync(path, 'utf8')).toBe(text)
    expect(recorded).toEqual([])
  })

  it('is refused for a read-only file, and for one that is no text', () => {
    const path = join(folder, 'mcp.json')
    writeFileSync(path, '{}')
    chmodSync(path, 0o444)
    expect(() => connect(path)).toThrow('read-only')
    chmodSync(path, 0o644)
    writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d]))
    expect(() => connect(path)).toThrow('not UTF-8')
    expect(() => connect(folder)).toThrow('EISDIR')
  })

  it('is refused if the file changed between preview and write', () => {
    const path = join(folder, 'mcp.json')
    writeFileSync(path, '{}')
    const plan = planChange(cursor(path), [gatewayEdit('cursor', TARGET)])
    writeFileSync(path, '{ "mine": 1 }')
    expect(() => write(plan)).toThrow('changed since the preview')
    expect(readFileSync(path, 'utf8')).toBe('{ "mine": 1 }')
    expect(readdirSync(folder)).toEqual(['mcp.json'])
  })

  it('[U3] takes back its own entries alone if the file has changed since, and says so', () => {
    const path = join(folder, 'mcp.json')
    const text = '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "x" }\n  }\n}\n'
    writeFileSync(path, text)
    const off = switchOffEdit('cursor', ['mcpServers', 'a'], undefined)
    const change = write(planChange(cursor(path), [gatewayEdit('cursor', TARGET), off]))
    writeFileSync(path, readFileSync(path, 'utf8').replace('// mine', '// mine, later'))
    expect(undo(change)).toMatchObject({
      outcome: 'edited',
      reason: expect.stringContaining('changed since') as string,
    })
    const after = readFileSync(path, 'utf8')
    expect(after).toContain('// mine, later')
    expect(JSON.parse(after.replace(/\/\/.*/, ''))).toEqual({ mcpServers: { a: { command: 'x' } } })
  })

  it('cannot be undone for a file that is gone or broken, and names the backup', () => {
    const path = join(folder, 'mcp.json')
    writeFileSync(path, '{}')
    const change = connect(path)
    writeFileSync(path, '{ broken')
    expect(undo(change)).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('backup') as string })
    rmSync(path)
    expect(undo(change)).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('not exist') as string })
  })

  it('keeps a backup for every change, and overwrites none', () => {
    const path = join(folder, 'mcp.json')
    writeFileSync(path, '{}')
    connect(path)
    writeFileSync(path, '{ "b": 1 }')
    connect(path)
    const backups = readdirSync(join(folder, 'backups')).map((name) => join(folder, 'backups', name))
    expect(backups.map((backup) => readFileSync(backup, 'utf8')).toSorted()).toEqual(['{ "b": 1 }', '{}'])
    expect(backups.map((backup) => statSync(backup).mode & 0o777)).toEqual([0o600, 0o600])
  })
})
