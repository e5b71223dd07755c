import { fileURLToPath } from 'node:url'

/** The text of a part that the tests of a run share. */
export async function sharedPart(name: 'postgres' | 'program'): Promise<string> {
  const { inject } = await import('vitest')
  const answer = await fetch(`${inject('shared')}/${name}`)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}

/**
 * The entry of the program as it is published, which starts in half the time of its sources: bundled anew for a run of tests,
 * else the one that was built.
 */
export async function builtProgram(): Promise<string> {
  if (process.env['VITEST'] !== undefined) return sharedPart('program')
  return fileURLToPath(new URL('../../packages/gateway/dist/main.js', import.meta.url))
}
