import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Two halves of 8 MB: calls are over before that is used up, and more would only be resident. */
const ENOUGH_BYTES = 16 * 1024 * 1024
const GROWING = 2
const STEADY = 1

/**
 * Keeps the space for new objects from growing to the 64 MB that Node allows it. The size cannot be set once the
 * process runs, but whether it grows can: asked after each collection, for it grows with these only. A smaller space from
 * the beginning would be worse: what calls leave behind would outlive it, and wait elsewhere for a larger collection.
 *
 * So little is collected in a millisecond or two by one thread. Waking four to share it takes longer where the processor is
 * busy, and costs a tenth of the processor time of small calls.
 * @returns a function that lets it grow again
 */
export function boundYoungGeneration(enoughBytes = ENOUGH_BYTES): () => void {
  let growth = GROWING
  const setGrowth = (wanted: number): void => {
    if (wanted === growth) return
    growth = wanted
    setFlagsFromString(`--semi-space-growth-factor=${wanted}`)
  }
  const observer = new PerformanceObserver(() => setGrowth(youngBytes() < enoughBytes ? GROWING : STEADY))
  observer.observe({ entryTypes: ['gc'] })
  setFlagsFromString('--no-parallel-scavenge')
  return () => {
    observer.disconnect()
    setGrowth(GROWING)
    setFlagsFromString('--parallel-scavenge')
  }
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0
}
