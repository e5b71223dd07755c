import { isRecord } from '@tooldex/http-kit/json'
import { canonicalDefinition } from '../model/canonical-json.ts'
import type { PinnedKind } from '../model/pins.ts'
import type { Definition } from './fingerprint.ts'

/** Keywords that explain a schema and do not change what it accepts. */
const EXPLAINING = new Set(['description', 'title', 'examples', 'default', '$comment', 'deprecated'])

/**
 * Whether a server that now sends another definition still honours the approved one: everything that the approved definition
 * describes is still accepted and answered as described. In doubt it does not.
 */
export function stillFits(kind: PinnedKind, approved: Definition, now: Definition): boolean {
  if (kind === 'tool') {
    return (
      acceptsAll(approved['inputSchema'], now['inputSchema']) &&
      (approved['outputSchema'] === undefined || meaning(approved['outputSchema']) === meaning(now['outputSchema']))
    )
  }
  if (kind === 'prompt') return acceptsArguments(approved['arguments'], now['arguments'])
  return kind !== 'program'
}

/** Compares the properties one by one and everything else as a whole. */
function acceptsAll(approved: unknown, now: unknown): boolean {
  if (!isRecord(approved) || !isRecord(now)) return false
  const { properties: described, required: _demanded, ...rest } = approved
  const { properties: accepted, required, ...restNow } = now
  if (meaning(rest) !== meaning(restNow)) return false
  const demanded = new Set(textsOf(approved['required']))
  if (textsOf(required).some((name) => !demanded.has(name))) return false
  const properties = isRecord(accepted) ? accepted : {}
  return Object.entries(isRecord(described) ? described : {}).every(
    ([name, schema]) => Object.hasOwn(properties, name) && meaning(schema) === meaning(properties[name]),
  )
}

function acceptsArguments(approved: unknown, now: unknown): boolean {
  const before = argumentsOf(approved)
  const after = argumentsOf(now)
  const isKept = [...before.keys()].every((name) => after.has(name))
  return isKept && [...after].every(([name, isRequired]) => !isRequired || before.get(name) === true)
}

function argumentsOf(list: unknown): ReadonlyMap<string, boolean> {
  const entries = Array.isArray(list) ? (list as readonly unknown[]).filter(isRecord) : []
  return new Map(entries.map(({ name, required }) => [String(name), required === true]))
}

/** A schema without explanations. A property may be called `title`, so only texts and the like count as explanations. */
function meaning(schema: unknown): string {
  return canonicalDefinition([withoutExplanations(schema, false)])
}

function withoutExplanations(value: unknown, isNames: boolean): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => withoutExplanations(each, false))
  if (!isRecord(value)) return value
  const members = Object.entries(value).filter(([name]) => isNames || !EXPLAINING.has(name))
  return Object.fromEntries(
    members.map(([name, each]) => [name, withoutExplanations(each, NAMED.has(name) && !isNames)]),
  )
}

/** Keywords whose members are named by the server. */
const NAMED = new Set(['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'])

function textsOf(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : []
}
