import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const HEARTBEAT_MS = 2_000
const ABANDONED_AFTER_MS = 30_000
const POLL_MS = 200

/**
 * Runs `work` while no other process on this folder does. A lock whose owner died, or that has not been touched
 * for half a minute, is taken over.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {{ onWait?: () => void }} [options]
 * @returns {Promise<T>}
 */
export async function onlyOne(file, work, { onWait } = {}) {
  mkdirSync(dirname(file), { recursive: true })
  for (let waited = false; !take(file); waited = true) {
    if (discardIfAbandoned(file)) continue
    if (!waited) onWait?.()
    await delay(POLL_MS)
  }
  const release = () => rmSync(file, { force: true })
  process.once('exit', release)
  const heartbeat = setInterval(() => utimesSync(file, new Date(), new Date()), HEARTBEAT_MS)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    process.off('exit', release)
    release()
  }
}

/** @param {string} file */
function take(file) {
  try {
    writeFileSync(file, `${process.pid} ${hostname()} ${process.hrtime.bigint()}`, { flag: 'wx' })
    return true
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    return false
  }
}

/**
 * Moves the lock aside before removing it: if another process took over in between, the moved lock is theirs and goes back.
 * @param {string} file
 */
function discardIfAbandoned(file) {
  try {
    const owner = readFileSync(file, 'utf8')
    if (!isAbandoned(owner, statSync(file).mtimeMs)) return false
    const aside = `${file}.${process.pid}`
    renameSync(file, aside)
    if (readFileSync(aside, 'utf8') !== owner) linkSync(aside, file)
    rmSync(aside)
    return true
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    return true
  }
}

/**
 * @param {string} owner
 * @param {number} touchedAt
 */
function isAbandoned(owner, touchedAt) {
  if (Date.now() - touchedAt > ABANDONED_AFTER_MS) return true
  const [pid, host] = owner.split(' ')
  return host === hostname() && !isAlive(Number(pid))
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** @param {unknown} error */
const codeOf = (error) => /** @type {NodeJS.ErrnoException} */ (error).code
