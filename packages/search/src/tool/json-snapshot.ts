import type { JsonValue } from './tool.ts'

/**
 * A definition with more values than this is refused; the largest schema seen in public catalogs has a few thousand.
 */
const MAX_VALUES = 100_000

/** Reports why a value is refused; never returns. */
export type Refuse = (reason: string) => never

interface Frame {
  readonly source: object
  readonly target: Record<string, unknown> | unknown[]
  /** Absent for an array. */
  readonly keys: readonly string[] | undefined
  readonly length: number
  next: number
}

/**
 * A deeply frozen copy of `value` as JSON would carry it: no `undefined`, functions or symbols, numbers that are not
 * finite as null, getters read once. Providers and comparisons can rely on simple data, however unusual the original
 * is. Depth does not matter (no recursion); cycles and sizes beyond 100,000 values are refused.
 */
export function snapshotJson(value: unknown, refuse: Refuse): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return toJsonPrimitive(value, refuse)
  return new Copier(refuse).copy(value) as JsonValue
}

class Copier {
  readonly #refuse: Refuse
  readonly #stack: Frame[] = []
  /** The objects from the root to where we are: meeting one of them again is a cycle, meeting others again is not. */
  readonly #path = new Set<object>()
  #room = MAX_VALUES

  constructor(refuse: Refuse) {
    this.#refuse = refuse
  }

  copy(root: object): unknown {
    const copied = this.#enter(root)
    for (let frame = this.#stack.at(-1); frame !== undefined; frame = this.#stack.at(-1)) {
      if (frame.next < frame.length) this.#copyNext(frame)
      else this.#leave(frame)
    }
    return copied
  }

  #enter(source: object): unknown {
    if (this.#path.has(source)) this.#refuse('contains itself, which JSON cannot carry')
    const keys = Array.isArray(source) ? undefined : Object.keys(source)
    const length = keys === undefined ? (source as unknown[]).length : keys.length
    this.#room -= length + 1
    if (this.#room < 0) this.#refuse(`holds more than ${MAX_VALUES} values`)

    const target = keys === undefined ? [] : {}
    this.#path.add(source)
    this.#stack.push({ source, target, keys, length, next: 0 })
    return target
  }

  #copyNext(frame: Frame): void {
    const { source, target, keys } = frame
    const position = frame.next++
    const key = keys === undefined ? position : (keys[position] as string)
    const value = (source as Record<string | number, unknown>)[key]
    const copied =
      typeof value === 'object' && value !== null ? this.#enter(value) : toJsonPrimitive(value, this.#refuse)
    if (Array.isArray(target)) target.push(copied ?? null)
    else if (copied !== undefined) setOwn(target, key as string, copied)
  }

  #leave(frame: Frame): void {
    Object.freeze(frame.target)
    this.#path.delete(frame.source)
    this.#stack.pop()
  }
}

function toJsonPrimitive(value: unknown, refuse: Refuse): string | number | boolean | null | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : null
    case 'bigint':
      return refuse('holds a bigint, which JSON cannot carry')
    default:
      return value === null ? null : undefined
  }
}

/** Assigns an own property, also for `__proto__`, which an assignment would take for the prototype. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') target[key] = value
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}
