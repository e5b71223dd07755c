// Adds to package-lock.json the packages for other platforms that npm left out.
//
// A registry mirror often has a tool's native package for its own platform only. npm then drops the others from the
// lockfile without a warning, and `npm ci` refuses that lockfile on every machine. This script writes them back from the
// tool's own manifest. They carry no checksum until the lockfile is updated against a complete registry.
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
 * @typedef {{ version?: string, dev?: boolean, optional?: boolean, os?: string[], cpu?: string[], libc?: string[],
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = new URL('../package-lock.json', import.meta.url)
  const lockfile = JSON.parse(readFileSync(file, 'utf8'))
  const missing = missingPlatformPackages(lockfile)
  const packages = Object.entries({ ...lockfile.packages, ...Object.fromEntries(missing) })
  lockfile.packages = Object.fromEntries(packages.sort(([a], [b]) => a.localeCompare(b, 'en')))
  writeFileSync(file, `${JSON.stringify(lockfile, null, 2)}\n`)
  process.stdout.write(`package-lock.json: ${missing.length} packages for other platforms added\n`)
}
