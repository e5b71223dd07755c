import { isRecord } from '@tooldex/http-kit/json'
import { formatHolds } from './schema-formats.ts'
import { canonical, isEqualJson, kindOf, quoted, resolvePointer, type Schema } from './schema-values.ts'
import type { LinearPatterns, Spend } from './linear-patterns.ts'

/** A check that came to no end within its budget, or nests too deeply: the server has to check. */
export class CheckTooCostly extends Error {
  override readonly name = 'CheckTooCostly'
}

/** Some 0.2 to 2 µs each. The checks of honest schemas take some 20 steps. */
const MOST_STEPS = 10_000
const STEPS_OF_REFERENCE = 4
const DEEPEST = 200
const MOST_MISTAKES = 8

/** Whether a value fits; undefined where only the server can say so. */
type Verdict = boolean | undefined

/**
 * One check of a value against a JSON Schema (drafts 4 to 2020-12), within a budget of steps. Keywords that cannot be decided
 * here count as undecided, and only what is certainly wrong is a mistake.
 */
export class SchemaCheck {
  readonly mistakes: string[] = []
  readonly #root: unknown
  readonly #patterns: LinearPatterns
  /** In draft 7 and before, `$ref` replaces the keywords beside it. */
  readonly #isRefAlone: boolean
  readonly #path: (string | number)[] = []
  #steps = MOST_STEPS
  #depth = 0
  /** Above 0 within branches whose failure is no mistake in itself. */
  #quiet = 0

  constructor(root: unknown, patterns: LinearPatterns, isRefAlone: boolean) {
    this.#root = root
    this.#patterns = patterns
    this.#isRefAlone = isRefAlone
  }

  /** @throws CheckTooCostly, EngineMissing */
  run(value: unknown): Verdict {
    return this.#fits(this.#root, value)
  }

  readonly #spend: Spend = (steps) => {
    this.#steps -= steps
    if (this.#steps < 0) throw new CheckTooCostly('it takes too many steps')
  }

  #fits(schema: unknown, value: unknown): Verdict {
    this.#spend(1)
    if (schema === true) return true
    if (schema === false) return this.#wrong('is not allowed')
    if (!isRecord(schema)) return undefined
    if (++this.#depth > DEEPEST) throw new CheckTooCostly('it nests too deeply')
    // References within a schema that has an id of its own are relative to that.
    const isElsewhere = typeof schema['$id'] === 'string' && schema !== this.#root
    const verdict = isElsewhere ? undefined : this.#all(schema, value)
    this.#depth--
    return verdict
  }

  #all(schema: Schema, value: unknown): Verdict {
    const { $ref } = schema
    const referred = $ref === undefined ? true : this.#refers($ref, value)
    if ($ref !== undefined && this.#isRefAlone) return referred
    let verdict = both(referred, this.#hasType(schema, value))
    verdict = both(verdict, this.#isListed(schema, value))
    if (typeof value === 'string') verdict = both(verdict, this.#text(schema, value))
    else if (typeof value === 'number') verdict = both(verdict, this.#number(schema, value))
    else if (Array.isArray(value)) verdict = both(verdict, this.#array(schema, value))
    else if (isRecord(value)) verdict = both(verdict, this.#object(schema, value))
    verdict = both(verdict, this.#combined(schema, value))
    // A caller's place in the schema decides what these mean.
    const isUndecided = schema['$dynamicRef'] !== undefined || schema['$recursiveRef'] !== undefined
    return isUndecided ? both(verdict, undefined) : verdict
  }

  #refers(reference: unknown, value: unknown): Verdict {
    this.#spend(STEPS_OF_REFERENCE)
    const target = typeof reference === 'string' ? resolvePointer(this.#root, reference, this.#spend) : undefined
    return target === undefined ? undefined : this.#fits(target, value)
  }

  #hasType({ type }: Schema, value: unknown): Verdict {
    if (type === undefined) return true
    const types = (Array.isArray(type) ? type : [type]) as readonly unknown[]
    this.#spend(types.length / 16)
    const kind = kindOf(value)
    if (types.some((each) => each === kind || (each === 'integer' && Number.isInteger(value)))) return true
    return this.#wrong(`must be ${types.slice(0, 8).map(String).join(' or ')}, not ${kind}`)
  }

  #isListed({ enum: values, const: only }: Schema, value: unknown): Verdict {
    if (only !== undefined && !isEqualJson(only, value, this.#spend)) return this.#wrong(`must be ${quoted([only])}`)
    if (!Array.isArray(values)) return true
    this.#spend(values.length / 16)
    if (values.some((each) => isEqualJson(each, value, this.#spend))) return true
    return this.#wrong(`must be one of ${quoted(values)}`)
  }

  #text(schema: Schema, text: string): Verdict {
    const { minLength, maxLength, pattern, format } = schema
    let verdict: Verdict = true
    // A character may be two code units, so only lengths in between have to be counted.
    if (typeof minLength === 'number' && text.length < minLength * 2 && this.#length(text) < minLength) {
      verdict = this.#wrong(`must have at least ${minLength} characters`)
    }
    if (typeof maxLength === 'number' && text.length > maxLength) {
      if (text.length > maxLength * 2 || this.#length(text) > maxLength) {
        verdict = this.#wrong(`must have at most ${maxLength} characters`)
      }
    }
    if (typeof pattern === 'string') {
      const matches = this.#patterns.test(pattern, text, this.#spend)
      verdict = both(verdict, matches === false ? this.#wrong(`must match the pattern ${pattern}`) : matches)
    }
    if (typeof format === 'string' && !formatHolds(format, text)) {
      verdict = this.#wrong(`must have the format ${format}`)
    }
    return verdict
  }

  #length(text: string): number {
    this.#spend(text.length / 50)
    let length = text.length
    for (let at = 0; at < text.length - 1; at++) {
      const isPair = (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00
      if (isPair) length--
    }
    return length
  }

  #number(schema: Schema, value: number): Verdict {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
    let verdict: Verdict = true
    if (typeof minimum === 'number' && (value < minimum || (exclusiveMinimum === true && value === minimum))) {
      verdict = this.#wrong(`must be at least ${minimum}`)
    }
    if (typeof maximum === 'number' && (value > maximum || (exclusiveMaximum === true && value === maximum))) {
      verdict = this.#wrong(`must be at most ${maximum}`)
    }
    if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) {
      verdict = this.#wrong(`must be greater than ${exclusiveMinimum}`)
    }
    if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) {
      verdict = this.#wrong(`must be less than ${exclusiveMaximum}`)
    }
    if (typeof multipleOf === 'number' && multipleOf > 0 && !isMultiple(value, multipleOf)) {
      verdict = this.#wrong(`must be a multiple of ${multipleOf}`)
    }
    return verdict
  }

  #array(schema: Schema, items: readonly unknown[]): Verdict {
    const { minItems, maxItems, uniqueItems, prefixItems, items: each, additionalItems, contains } = schema
    let verdict: Verdict = schema['unevaluatedItems'] === undefined ? true : undefined
    if (typeof minItems === 'number' && items.length < minItems) {
      verdict = this.#wrong(`must have at least ${minItems} items`)
    }
    if (typeof maxItems === 'number' && items.length > maxItems) {
      verdict = this.#wrong(`must have at most ${maxItems} items`)
    }
    if (uniqueItems === true && this.#hasDuplicates(items)) verdict = this.#wrong('must not have equal items')
    const isTuple = Array.isArray(each)
    const first: readonly unknown[] = isTuple ? each : Array.isArray(prefixItems) ? prefixItems : []
    const rest = isTuple ? additionalItems : each
    for (const [at, item] of items.entries()) {
      const schemaOfItem = at < first.length ? first[at] : rest
      if (schemaOfItem !== undefined) verdict = both(verdict, this.#at(at, schemaOfItem, item))
    }
    return contains === undefined ? verdict : both(verdict, this.#contains(schema, items))
  }

  #hasDuplicates(items: readonly unknown[]): boolean {
    this.#spend(items.length / 4)
    const seen = new Set<unknown>()
    for (const item of items) {
      // Texts are marked, so that none equals the canonical form of an object.
      const key =
        typeof item === 'string' ? `"${item}` : kindOf(item) === 'number' ? item : canonical(item, this.#spend)
      if (seen.has(key)) return true
      seen.add(key)
    }
    return false
  }

  #contains({ contains, minContains, maxContains }: Schema, items: readonly unknown[]): Verdict {
    const least = typeof minContains === 'number' ? minContains : 1
    const most = typeof maxContains === 'number' ? maxContains : Number.POSITIVE_INFINITY
    const verdicts = items.map((item) => this.#quietly(() => this.#fits(contains, item)))
    const found = verdicts.filter((verdict) => verdict === true).length
    const perhaps = verdicts.filter((verdict) => verdict === undefined).length
    if (found > most) return this.#wrong(`must have at most ${most} items of the kind in "contains"`)
    if (found + perhaps < least) return this.#wrong(`must have at least ${least} items of the kind in "contains"`)
    return found >= least && found + perhaps <= most ? true : undefined
  }

  #object(schema: Schema, value: Readonly<Record<string, unknown>>): Verdict {
    const { required, minProperties, maxProperties } = schema
    let verdict: Verdict = schema['unevaluatedProperties'] === undefined ? true : undefined
    if (Array.isArray(required)) {
      this.#spend(required.length / 8)
      const missing = required.filter((name) => typeof name === 'string' && !Object.hasOwn(value, name))
      if (missing.length > 0) verdict = this.#wrong(`needs ${quoted(missing)}`)
    }
    const names = Object.keys(value)
    if (typeof minProperties === 'number' && names.length < minProperties) {
      verdict = this.#wrong(`must have at least ${minProperties} properties`)
    }
    if (typeof maxProperties === 'number' && names.length > maxProperties) {
      verdict = this.#wrong(`must have at most ${maxProperties} properties`)
    }
    for (const name of names) verdict = both(verdict, this.#property(schema, name, value[name]))
    return both(verdict, this.#dependent(schema, value))
  }

  #property(schema: Schema, name: string, value: unknown): Verdict {
    const { properties, patternProperties, additionalProperties, propertyNames } = schema
    this.#spend(1)
    let verdict: Verdict = true
    let isKnown: Verdict = false
    if (isRecord(properties) && Object.hasOwn(properties, name)) {
      isKnown = true
      verdict = this.#at(name, properties[name], value)
    }
    for (const [pattern, each] of isRecord(patternProperties) ? Object.entries(patternProperties) : []) {
      const matches = this.#patterns.test(pattern, name, this.#spend)
      if (matches !== false) isKnown = isKnown === true ? true : matches
      if (matches === true) verdict = both(verdict, this.#at(name, each, value))
      if (matches === undefined) verdict = both(verdict, undefined)
    }
    if (isKnown === false && additionalProperties !== undefined) {
      verdict = both(verdict, this.#at(name, additionalProperties, value))
    }
    return propertyNames === undefined ? verdict : both(verdict, this.#at(name, propertyNames, name))
  }

  #dependent(schema: Schema, value: Readonly<Record<string, unknown>>): Verdict {
    let verdict: Verdict = true
    for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
      for (const [name, needed] of isRecord(schema[keyword]) ? Object.entries(schema[keyword]) : []) {
        this.#spend(1)
        if (!Object.hasOwn(value, name)) continue
        verdict = both(verdict, this.#fits(Array.isArray(needed) ? { required: needed } : needed, value))
      }
    }
    return verdict
  }

  #combined(schema: Schema, value: unknown): Verdict {
    const { allOf, anyOf, oneOf, not, if: condition } = schema
    let verdict: Verdict = true
    for (const each of Array.isArray(allOf) ? allOf : []) verdict = both(verdict, this.#fits(each, value))
    if (Array.isArray(anyOf)) verdict = both(verdict, this.#anyOf(anyOf, value))
    if (Array.isArray(oneOf)) verdict = both(verdict, this.#oneOf(oneOf, value))
    if (not !== undefined) {
      const fits = this.#quietly(() => this.#fits(not, value))
      verdict = both(verdict, fits === true ? this.#wrong('must not fit the schema in "not"') : opposite(fits))
    }
    if (condition === undefined) return verdict
    const holds = this.#quietly(() => this.#fits(condition, value))
    const next = holds === true ? schema['then'] : schema['else']
    if (holds === undefined) return both(verdict, undefined)
    return next === undefined ? verdict : both(verdict, this.#fits(next, value))
  }

  #anyOf(branches: readonly unknown[], value: unknown): Verdict {
    const known = this.mistakes.length
    let verdict: Verdict = false
    for (const branch of branches) {
      const fits = this.#fits(branch, value)
      if (fits === true) verdict = true
      else if (fits === undefined && verdict === false) verdict = undefined
    }
    // What is wrong in each branch helps only if no branch fits.
    if (verdict !== false) this.mistakes.length = Math.min(this.mistakes.length, known)
    return verdict === false ? this.#wrong('fits none of the schemas in "anyOf"') : verdict
  }

  #oneOf(branches: readonly unknown[], value: unknown): Verdict {
    const known = this.mistakes.length
    const verdicts = branches.map((branch) => this.#fits(branch, value))
    const fitting = verdicts.filter((verdict) => verdict === true).length
    const isDecided = !verdicts.includes(undefined)
    if (fitting > 1) {
      this.mistakes.length = Math.min(this.mistakes.length, known)
      return this.#wrong(`fits ${fitting} of the schemas in "oneOf", and must fit one`)
    }
    if (fitting === 0 && isDecided) return this.#wrong('fits none of the schemas in "oneOf"')
    this.mistakes.length = Math.min(this.mistakes.length, known)
    return isDecided ? true : undefined
  }

  #at(step: string | number, schema: unknown, value: unknown): Verdict {
    this.#path.push(step)
    const verdict = this.#fits(schema, value)
    this.#path.pop()
    return verdict
  }

  #quietly(check: () => Verdict): Verdict {
    this.#quiet++
    const verdict = check()
    this.#quiet--
    return verdict
  }

  #wrong(mistake: string): false {
    if (this.#quiet > 0 || this.mistakes.length >= MOST_MISTAKES) return false
    const place = this.#path.join('.').slice(0, 200)
    const sentence = place === '' ? mistake : `${place}: ${mistake}`
    if (!this.mistakes.includes(sentence)) this.mistakes.push(sentence)
    return false
  }
}

function both(a: Verdict, b: Verdict): Verdict {
  if (a === false || b === false) return false
  return a === undefined || b === undefined ? undefined : true
}

function opposite(verdict: Verdict): Verdict {
  return verdict === undefined ? undefined : !verdict
}

/** Decimal fractions are not exact, so a remainder within the rounding is none. */
function isMultiple(value: number, divisor: number): boolean {
  const quotient = value / divisor
  return (
    !Number.isFinite(quotient) || Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient))
  )
}
