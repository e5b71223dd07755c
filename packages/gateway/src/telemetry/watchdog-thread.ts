/** The thread of the watchdog. */
import { writeSync } from 'node:fs'
import { Session } from 'node:inspector'
import { workerData } from 'node:worker_threads'
import { BEAT_MS, BLOCKED_EVENT, SHARED } from './watchdog.ts'

const { state, pretty, isSilent } = workerData as { state: SharedArrayBuffer; pretty: boolean; isSilent: boolean }
const figures = new Int32Array(state)
/** So many missing beats mean that the main thread is blocked. */
const MISSED_BEATS = 2

let beat = 0
let missed = 0
let checkedAt = performance.now()

setInterval(() => {
  const now = performance.now()
  // The whole process stood still, for instance because the machine slept.
  const isLate = now - checkedAt > BEAT_MS * 3
  checkedAt = now
  const last = Atomics.load(figures, SHARED.beat)
  missed = last === beat && !isLate ? missed + 1 : 0
  beat = last
  if (missed === MISSED_BEATS + 1) blocked()
}, BEAT_MS)

function blocked(): void {
  write('the event loop is blocked')
  const session = new Session()
  session.connectToMainThread()
  // V8 runs this between two instructions of the main thread, or of a regular expression.
  const expression = `process.emit(${JSON.stringify(BLOCKED_EVENT)})`
  session.post('Runtime.evaluate', { expression }, () => {
    write('SIGTERM and SIGINT end the program at once while the event loop is blocked')
    session.disconnect()
  })
}

function write(msg: string): void {
  if (isSilent) return
  const bytes = Atomics.load(figures, SHARED.nameBytes)
  const name = Buffer.from(new Uint8Array(state, SHARED.names, bytes)).toString('utf8')
  const activity = name === '' ? 'unknown' : name
  const time = new Date().toISOString()
  const line = pretty
    ? `${time} WARN ${msg} activity=${activity}`
    : JSON.stringify({ level: 'warn', time, activity, msg })
  try {
    writeSync(2, `${line}\n`)
  } catch {
    // Standard error may be closed or full.
  }
}
