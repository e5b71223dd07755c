// Measures the event loop of the process into which it is loaded, and reports over the channel when it is asked to.
const INTERVAL_MS = 5
/** @type {{ wall: number, processor: number }[]} */
let turns = []
let at = performance.now()
let used = process.threadCpuUsage()
let whole = process.cpuUsage()

setInterval(() => {
  const now = performance.now()
  const { user, system } = process.threadCpuUsage(used)
  used = process.threadCpuUsage()
  turns.push({ wall: Math.max(0, now - at - INTERVAL_MS), processor: (user + system) / 1_000 })
  at = now
}, INTERVAL_MS).unref()

/** @param {number[]} values */
const summary = (values) => {
  const sorted = values.toSorted((a, b) => a - b)
  return { p999: sorted[Math.floor(sorted.length * 0.999)] ?? 0, most: sorted.at(-1) ?? 0 }
}

process.on('message', () => {
  // Where the program was started with --expose-gc: what is left is what is held.
  globalThis.gc?.()
  at = performance.now()
  used = process.threadCpuUsage()
  const { rss, heapUsed, external } = process.memoryUsage()
  const wall = summary(turns.map((turn) => turn.wall))
  const { user, system } = process.cpuUsage(whole)
  const usedMs = (user + system) / 1_000
  process.send?.({
    wall,
    processor: summary(turns.map((turn) => turn.processor)),
    usedMs,
    rss,
    heap: heapUsed + external,
    ageMs: performance.now(),
  })
  whole = process.cpuUsage()
  turns = []
})
process.channel?.unref()
