import { isRecord } from '@tooldex/http-kit/json'
import type { Spend } from './linear-patterns.ts'

/** A schema that is not just true or false. */
export type Schema = Readonly<Record<string, unknown>>

const MOST_SHOWN = 20
const MOST_SHOWN_CHARACTERS = 400

/** The name that JSON Schema has for the type of a value. */
export function kindOf(value: unknown): 'null' | 'array' | 'object' | 'string' | 'number' | 'boolean' {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}

/** Whether two JSON values are equal, in whatever order their keys are. */
export function isEqualJson(a: unknown, b: unknown, spend: Spend): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  return canonical(a, spend) === canonical(b, spend)
}

/** The same text for equal values. @param spend gets a step for each value, and for each 50 characters of text */
export function canonical(value: unknown, spend: Spend): string {
  return JSON.stringify(value, (_, part: unknown) => {
    spend(typeof part === 'string' ? 1 + part.length / 50 : 1)
    if (!isRecord(part)) return part
    const names = Object.keys(part).sort()
    return { '': names.map((name) => [name, part[name]]) }
  })
}

/** The schema at a local reference (`#`, `#/…`); undefined for any other reference, and where there is nothing. */
export function resolvePointer(root: unknown, reference: string, spend: Spend): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let target = root
  for (const part of reference.slice(2).split('/')) {
    spend(1)
    const name = unescaped(part)
    const isThere = (isRecord(target) || Array.isArray(target)) && name !== undefined && Object.hasOwn(target, name)
    if (!isThere) return undefined
    target = (target as Schema)[name]
  }
  return target
}

function unescaped(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return undefined
  }
}

/** Values as a sentence shows them: the first ones, cut. */
export function quoted(values: readonly unknown[]): string {
  const shown = values.slice(0, MOST_SHOWN).map((value) => shortJson(value))
  const more = values.length > MOST_SHOWN ? ` and ${values.length - MOST_SHOWN} more` : ''
  return `${shown.join(', ')}${more}`
}

function shortJson(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object'
  return JSON.stringify(typeof value === 'string' ? value.slice(0, MOST_SHOWN_CHARACTERS) : value)
}
