import { isRecord } from '@tooldex/http-kit/json'

/** A text of a definition and where it stands. */
export interface FieldText {
  /** JSON pointer within the definition. */
  readonly field: string
  readonly text: string
  readonly kind: 'name' | 'parameter' | 'prose'
}

/** The texts of a definition, and whether something was left out because there was too much. */
export interface Texts {
  readonly texts: readonly FieldText[]
  /** The field at which reading stopped. */
  readonly cutAt?: { readonly field: string; readonly offset: number }
}

/** What the scanner reads of one definition. Servers' definitions are limited to less; files for `tooldex scan` are not. */
export const SCAN_LIMITS = { textCharacters: 32_768, allCharacters: 65_536, texts: 4_096, depth: 64 } as const

/** Values of these keys are words of JSON Schema and of the protocol, not texts. */
const KEYWORDS = new Set([
  'type',
  '$schema',
  'format',
  '$ref',
  'mimeType',
  'contentEncoding',
  'uri',
  'jsonrpc',
  'method',
])
const MAPS_OF_SCHEMAS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])

/** All texts of a value, in document order: values and, where they are chosen by the server, keys. */
export function textsOf(root: unknown): Texts {
  const texts: FieldText[] = []
  let characters = 0
  let cutAt: Texts['cutAt']
  const add = (field: string, text: string, kind: FieldText['kind']): void => {
    const room = Math.min(SCAN_LIMITS.textCharacters, SCAN_LIMITS.allCharacters - characters)
    if (texts.length >= SCAN_LIMITS.texts || room <= 0) {
      cutAt ??= { field, offset: 0 }
      return
    }
    if (text.length > room) cutAt ??= { field, offset: room }
    const read = text.length > room ? text.slice(0, room) : text
    characters += read.length
    texts.push({ field, text: read, kind })
  }
  const walk = (value: unknown, field: string, key: string, depth: number): void => {
    if (cutAt !== undefined && characters >= SCAN_LIMITS.allCharacters) return
    if (typeof value === 'string') {
      if (!KEYWORDS.has(key)) add(field, value, field === '/name' ? 'name' : 'prose')
      return
    }
    if (typeof value !== 'object' || value === null) return
    if (depth > SCAN_LIMITS.depth) {
      cutAt ??= { field, offset: 0 }
      return
    }
    if (Array.isArray(value)) {
      for (const [index, each] of value.entries()) walk(each, `${field}/${index}`, key, depth + 1)
      return
    }
    if (!isRecord(value)) return
    for (const [name, each] of Object.entries(value)) {
      const place = `${field}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
      // A keyword below `properties` is the name of a parameter.
      const isParameter = MAPS_OF_SCHEMAS.has(key)
      if (isParameter) add(place, name, 'parameter')
      walk(each, place, isParameter ? '' : name, depth + 1)
    }
  }
  walk(root, '', '', 0)
  return cutAt === undefined ? { texts } : { texts, cutAt }
}
