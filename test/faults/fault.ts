/** A fault, and the promise that the gateway keeps in spite of it. */
export interface Fault {
  readonly name: string
  /** Short enough for every test run. */
  readonly isQuick: boolean
  /** Causes the fault and checks the promise. Resolves to a report; throws where the promise is broken. */
  readonly run: (size: FaultSize) => Promise<string>
}

/** `quick` fits into a test run, `usual` is the command's default, `full` takes long. */
export type FaultSize = 'quick' | 'usual' | 'full'

/** The outcome of a fault. */
export interface FaultOutcome {
  readonly ok: boolean
  readonly detail: string
  readonly ms: number
}

/** A promise that was not kept. */
class Broken extends Error {
  override readonly name = 'Broken'
}

/** @throws Broken with the sentence, unless the condition holds */
export function promise(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Broken(otherwise)
}

/**
 * A test run may share the machine with other load: it proves that a promise is kept, and only the command measures
 * whether it is kept in time.
 */
export const PATIENCE = process.env['VITEST'] === undefined ? 1 : 20

/** @throws Broken unless the time is within the limit. Answers with the time, for people. */
export function within(ms: number, limitMs: number, what: string): string {
  promise(ms <= limitMs * PATIENCE, `${what} took ${ms.toFixed(0)} ms, more than ${limitMs}`)
  return `${what} ${ms.toFixed(0)} ms`
}

/** Times an action. */
export async function timed<T>(action: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const since = performance.now()
  const value = await action()
  return { value, ms: performance.now() - since }
}

/** The failure that an action ends in, and when. @throws Broken if it succeeds */
export async function failure(action: () => Promise<unknown>): Promise<{ readonly error: Error; readonly ms: number }> {
  const since = performance.now()
  const error = await action().then(
    () => undefined,
    (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason))),
  )
  promise(error !== undefined, 'the call should have failed')
  return { error, ms: performance.now() - since }
}

/** Runs a fault, again while attempts are left: the command measures times, and the machine may have been busy. */
export async function outcomeOf(fault: Fault, size: FaultSize, attempts = 1): Promise<FaultOutcome> {
  const since = performance.now()
  let detail = ''
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      const seen = await fault.run(size)
      const note = attempt === 1 ? '' : ` (attempt ${attempt}; the one before: ${detail})`
      return { ok: true, detail: seen + note, ms: Math.round(performance.now() - since) }
    } catch (error) {
      detail = error instanceof Error ? error.message : String(error)
    }
  }
  return { ok: false, detail, ms: Math.round(performance.now() - since) }
}
