// Runs before every npm command of this repository: installs missing and stale packages, and returns at once when there
// are none. JavaScript without dependencies, because it runs on the machine's own Node before anything else.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages, SetupFailure } from './setup/npm.mjs'
import { onlyOne } from './setup/only-one.mjs'
import { hasPinnedNode, installPinnedNode, machineNodeIsEnough, pinnedVersion } from './setup/pinned-node.mjs'
import { whyStale } from './setup/stale.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
/** @param {string} line */
const say = (line) => process.stderr.write(`  ${line}\n`)

try {
  if (whyStale(root) !== undefined || !hasPinnedNode(root)) {
    const waiting = () => say('Another command is setting up this folder; waiting for it')
    await onlyOne(join(root, '.tooldex', 'setup.lock'), setUp, { onWait: waiting })
  }
} catch (error) {
  if (!(error instanceof SetupFailure)) throw error
  process.stderr.write(`${error.output}\n\n  ${error.message}\n`)
  process.exitCode = 1
}

/** Checks again, because another command may have done the work while this one waited. */
async function setUp() {
  const reason = whyStale(root)
  if (reason !== undefined) await installPackages(root, reason)
  if (hasPinnedNode(root)) return
  if (reason === undefined && machineNodeIsEnough()) {
    say(`Node ${pinnedVersion(root)} is pinned but not installed; running on this machine's ${process.version}`)
    return
  }
  await installPinnedNode(root)
}
