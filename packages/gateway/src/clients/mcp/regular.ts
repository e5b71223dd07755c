// What is so plainly regular that it needs no SDK to read it.

import type { Exchange } from '../http/exchange.ts'
import { isObject } from './json-rpc.ts'

/** Whether the client reads both kinds of answers, as every client must. */
export function acceptsBoth({ req }: Exchange): boolean {
  const accept = req.headers.accept
  return accept !== undefined && accept.includes('application/json') && accept.includes('text/event-stream')
}

/** Objects of objects, as the revision defines them, and the one boolean there is. */
export function isRegularCapabilities(capabilities: unknown): boolean {
  if (!isObject(capabilities)) return false
  for (const name in capabilities) {
    const capability = capabilities[name]
    if (!isObject(capability)) return false
    for (const part in capability) {
      if (!isObject(capability[part]) && !(name === 'roots' && typeof capability[part] === 'boolean')) return false
    }
  }
  return true
}

/** Who a client says it is: texts. */
export function isRegularInfo(info: unknown): boolean {
  if (info === undefined) return true
  if (!isObject(info) || typeof info['name'] !== 'string' || typeof info['version'] !== 'string') return false
  for (const key in info) if (typeof info[key] !== 'string') return false
  return true
}
