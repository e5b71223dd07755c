import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const DEPENDENCY_FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']

/**
 * Why the installed packages differ from the locked ones, or undefined if they do not. npm writes its list of installed
 * packages as the last step, so an interrupted installation counts as none.
 * @param {string} root
 * @returns {string | undefined}
 */
export function whyStale(root) {
  const installed = readJson(join(root, 'node_modules', '.package-lock.json'))
  if (installed === undefined) return 'nothing is installed yet'
  const locked = readJson(join(root, 'package-lock.json'))
  if (locked === undefined) return 'package-lock.json is missing'
  return (
    whyUnlocked(root, locked.packages) ??
    whyNotInstalled(root, locked.packages, installed.packages) ??
    whyLeftOver(locked.packages, installed.packages)
  )
}

/**
 * A package.json of the workspace that differs from the lockfile.
 * @param {string} root
 * @param {Record<string, any>} locked
 */
function whyUnlocked(root, locked) {
  for (const path of ['', ...workspaces(root)]) {
    const manifest = readJson(join(root, path, 'package.json'))
    const entry = locked[path]
    if (entry === undefined) return `${path} is not in package-lock.json`
    for (const field of DEPENDENCY_FIELDS) {
      if (canonical(manifest[field]) !== canonical(entry[field])) {
        return `${field} of ${join(path, 'package.json')} changed`
      }
    }
  }
  return undefined
}

/**
 * @param {string} root
 * @param {Record<string, any>} locked
 * @param {Record<string, any>} installed
 */
function whyNotInstalled(root, locked, installed) {
  for (const [path, entry] of Object.entries(locked)) {
    if (path === '') continue
    const found = installed[path]
    if (found === undefined) {
      if (!entry.optional) return `${nameOf(path)} is new`
      continue
    }
    if (found.version !== entry.version) return `${nameOf(path)} changed from ${found.version} to ${entry.version}`
    if (!existsSync(join(root, path))) return `${nameOf(path)} is missing`
  }
  return undefined
}

/**
 * @param {Record<string, any>} locked
 * @param {Record<string, any>} installed
 */
function whyLeftOver(locked, installed) {
  const path = Object.keys(installed).find((each) => !(each in locked))
  return path === undefined ? undefined : `${nameOf(path)} is no longer needed`
}

/** @param {string} root */
function workspaces(root) {
  const folder = join(root, 'packages')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'package.json')))
    .map((name) => `packages/${name}`)
}

/** @param {string} path */
const nameOf = (path) => path.replace(/^.*node_modules\//, '')

/** @param {Record<string, string> | undefined} dependencies */
const canonical = (dependencies) =>
  JSON.stringify(Object.entries(dependencies ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)))

/**
 * @param {string} file
 * @returns {any}
 */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
