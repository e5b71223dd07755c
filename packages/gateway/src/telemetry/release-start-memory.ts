import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { boundYoungGeneration } from './young-generation.ts'

/**
 * Gives back what only the start needed, and keeps it from coming back. Reading modules and schemas leaves the heap at
 * twice the size that serving takes, and an idle process collects nothing by itself. To be called once, when nobody waits.
 */
export function releaseStartMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  boundYoungGeneration()
}
