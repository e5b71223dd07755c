// Adds to package-lock.json the packages for other platforms that npm left out.
//
// A registry mirror often has a tool's native package for its own platform only. npm then drops the others from the
// lockfile without a warning, and `npm ci` refuses that lockfile on every machine. This script writes them back from the
// tool's own manifest, with the checksum of the registry. A package that the registry does not have stays without one until the
// script runs against a complete registry; `--check` lists such packages and fails, which the release does.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const PLATFORMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const ARCHITECTURES = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']

/**
 * The platform in the name of a native package, or undefined if the name has none.
 * @param {string} name
 * @returns {{ os?: string[], cpu: string[], libc?: string[] } | undefined}
 */
export function platformOf(name) {
  const words = name.split(/[/\-_.]/)
  const os = PLATFORMS.find((platform) => words.includes(platform))
  const cpu = ARCHITECTURES.find((architecture) => words.includes(architecture))
  if (cpu === 'wasm32') return { cpu: ['wasm32'] }
  if (os === undefined || cpu === undefined) return undefined
  if (os !== 'linux') return { os: [os], cpu: [cpu] }
  const libc = words.some((word) => word.startsWith('musl'))
    ? ['musl']
    : words.some((word) => word.startsWith('gnu'))
      ? ['glibc']
      : undefined
  return { os: [os], cpu: [cpu], ...(libc && { libc }) }
}

/**
 * @typedef {{ name?: string, version?: string, link?: boolean, integrity?: string, dev?: boolean, optional?: boolean, os?: string[], cpu?: string[], libc?: string[],
 *   optionalDependencies?: Record<string, string> }} LockEntry
 * @typedef {{ packages: Record<string, LockEntry> }} Lockfile
 */

/**
 * Optional dependencies on an exact version that the lockfile does not have: `[path, entry]` for each.
 * @param {Lockfile} lockfile
 * @returns {[string, LockEntry][]}
 */
export function missingPlatformPackages(lockfile) {
  /** @type {[string, LockEntry][]} */
  const missing = []
  for (const [path, entry] of Object.entries(lockfile.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const platform = platformOf(name)
      const known = `node_modules/${name}` in lockfile.packages || `${path}/node_modules/${name}` in lockfile.packages
      if (platform === undefined || known || !/^\d/.test(version)) continue
      missing.push([`node_modules/${name}`, { version, ...(entry.dev && { dev: true }), optional: true, ...platform }])
    }
  }
  return missing
}

/**
 * The packages of a registry that the lockfile names without a checksum: `[path, name, version]` for each.
 * @param {Lockfile} lockfile
 * @returns {[string, string, string][]}
 */
export function withoutChecksum(lockfile) {
  return Object.entries(lockfile.packages).flatMap(([path, { name, version, link, integrity }]) => {
    const isPackage = path.includes('node_modules/') && link !== true && version !== undefined
    const own = name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    return isPackage && integrity === undefined ? [[path, own, version]] : []
  })
}

const AT_A_TIME = 8

/**
 * Adds the checksums that a registry knows.
 * @param {Lockfile} lockfile
 * @param {(name: string, version: string) => Promise<string | undefined>} checksumOf
 */
export async function addChecksums(lockfile, checksumOf) {
  const open = withoutChecksum(lockfile)
  while (open.length > 0) {
    await Promise.all(
      open.splice(0, AT_A_TIME).map(async ([path, name, version]) => {
        const integrity = await checksumOf(name, version)
        const entry = lockfile.packages[path]
        if (entry !== undefined && integrity?.startsWith('sha512-') === true) entry.integrity = integrity
      }),
    )
  }
}

/**
 * The checksum of a package in the configured registry; undefined if the registry does not have the package.
 * @param {string} name
 * @param {string} version
 * @returns {Promise<string | undefined>}
 */
function checksumInRegistry(name, version) {
  return new Promise((resolve) => {
    execFile('npm', ['view', `${name}@${version}`, 'dist.integrity'], (error, stdout) =>
      resolve(error === null ? stdout.trim() : undefined),
    )
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = new URL('../package-lock.json', import.meta.url)
  /** @type {Lockfile} */
  const lockfile = JSON.parse(readFileSync(file, 'utf8'))
  if (!process.argv.includes('--check')) {
    const missing = missingPlatformPackages(lockfile)
    const packages = Object.entries({ ...lockfile.packages, ...Object.fromEntries(missing) })
    lockfile.packages = Object.fromEntries(packages.sort(([a], [b]) => a.localeCompare(b, 'en')))
    await addChecksums(lockfile, checksumInRegistry)
    writeFileSync(file, `${JSON.stringify(lockfile, null, 2)}\n`)
    process.stdout.write(`package-lock.json: ${missing.length} packages for other platforms added\n`)
  }
  const open = withoutChecksum(lockfile)
  if (open.length > 0) {
    process.stdout.write(
      `package-lock.json: ${open.length} packages without a checksum, because the registry lacks them\n`,
    )
    if (process.argv.includes('--check')) {
      process.stdout.write(`${open.map(([, name, version]) => `  ${name} ${version}\n`).join('')}`)
      process.exitCode = 1
    }
  }
}
