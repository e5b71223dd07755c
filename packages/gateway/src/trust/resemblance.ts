import { canonicalDefinition } from '../model/canonical-json.ts'
import type { Definition } from './fingerprint.ts'

/** Whether a tool may be another one under a new name: nearly the same name, or the same text or parameters. */
export function resembles(tool: Definition, name: string, other: Definition | undefined): boolean {
  const own = typeof tool['name'] === 'string' ? tool['name'] : ''
  if (own === name) return false
  if (isNearName(plain(own), plain(name))) return true
  if (other === undefined) return false
  const hasSameText = hasText(other['description']) && tool['description'] === other['description']
  return hasSameText || hasSameParameters(tool['inputSchema'], other['inputSchema'])
}

/** A name without case, separators and accents. */
function plain(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** At most one letter added, removed or replaced, or a short ending; short names must be the same. */
function isNearName(one: string, other: string): boolean {
  if (one === other) return one !== ''
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (short.length < 5) return false
  if (long.startsWith(short) && /^(?:s|v?\d{1,2}|new|now|all|x|ex)$/.test(long.slice(short.length))) return true
  if (long.length - short.length > 1) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at++
  return short.slice(long.length === short.length ? at + 1 : at) === long.slice(at + 1)
}

const hasText = (text: unknown): boolean => typeof text === 'string' && text.trim().length >= 10

/** A schema with at least two properties is an identity; many tools have none or one. */
function hasSameParameters(one: unknown, other: unknown): boolean {
  const { properties = {} } = (other ?? {}) as { readonly properties?: object }
  return Object.keys(properties).length >= 2 && canonicalDefinition([one]) === canonicalDefinition([other])
}
