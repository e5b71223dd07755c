import { spawn } from 'node:child_process'
import { basename, delimiter, join, sep } from 'node:path'
import { withProgress } from './progress.mjs'

/** A failure of npm: `output` is npm's own output, the message tells what to do. */
export class SetupFailure extends Error {
  /**
   * @param {string} message
   * @param {string} output
   */
  constructor(message, output) {
    super(message)
    this.output = output
  }
}

const PATIENCE_MS = 2_000
const QUIET = ['--no-fund', '--no-audit', '--no-update-notifier', '--loglevel=error']

/**
 * Installs exactly the packages of package-lock.json.
 * @param {string} root
 * @param {string} reason
 */
export async function installPackages(root, reason) {
  // NODE_ENV=production would leave out the tools that every command needs.
  const install = ['ci', '--include=dev', ...QUIET]
  const result = await withProgress(`Installing packages (${reason})`, async () => {
    const first = await runNpm(root, install)
    // The `node` package fetches its binary in an install script; without it, the next step fetches the binary itself.
    const onlyNodeFailed = first.code !== 0 && first.output.includes('installArchSpecificPackage')
    return onlyNodeFailed ? runNpm(root, [...install, '--ignore-scripts']) : first
  })
  if (result.code === 0) return
  throw new SetupFailure(
    'npm could not install the packages; its output is above. Fix the cause and run the command again.',
    result.output,
  )
}

/**
 * Runs npm on the machine's own Node: the pinned one lies in the folder that npm is about to replace.
 * @param {string} root
 * @param {readonly string[]} args
 * @returns {Promise<{ code: number | null, output: string }>}
 */
export function runNpm(root, args) {
  const { npm_execpath: script = '', npm_node_execpath: node = '', PATH = '' } = process.env
  const ours = join(root, 'node_modules') + sep
  const env = { ...process.env, PATH: withoutFolder(PATH, ours) }
  const callable = basename(script) === 'npm-cli.js' && node !== '' && !node.startsWith(ours)
  const [command, leading] = callable ? [node, [script]] : ['npm', []]
  return new Promise((resolve) => {
    const child = spawn(command, [...leading, ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let interrupted = false
    // Waits for npm to end, so that no other set-up begins while this one's npm still writes. Left alone, npm takes its
    // time to tidy up; the next set-up starts from scratch anyway.
    const interrupt = () => {
      interrupted = true
      child.kill()
      setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS).unref()
    }
    const finish = (/** @type {number | null} */ code) => {
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
      if (interrupted) process.exit(130)
      resolve({ code, output })
    }
    process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.once('error', (error) => {
      output += `npm does not start: ${error.message}`
      finish(null)
    })
    child.once('close', finish)
  })
}

/**
 * @param {string} path
 * @param {string} folder
 */
function withoutFolder(path, folder) {
  return path
    .split(delimiter)
    .filter((each) => !(each + sep).startsWith(folder))
    .join(delimiter)
}
