import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Collects the garbage of the start, once: reading modules and schemas leaves 9 MB that an idle process would never collect.
 * Node has no other way to ask for a collection than to expose `gc` for a moment.
 */
export function releaseStartMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
