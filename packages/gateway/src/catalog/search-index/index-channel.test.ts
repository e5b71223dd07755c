import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { startIndexProgram } from './index-channel.ts'
import type { ThreadReply } from './thread-messages.ts'

const folder = mkdtempSync(join(tmpdir(), 'tooldex-channel-'))
afterEach(() => void vi.unstubAllEnvs())
afterAll(() => rmSync(folder, { recursive: true }))

/** Replies with what its environment says about memory. */
const PROGRAM = `process.once('message', () => {
  process.send({ kind: 'log', level: 'debug', facts: { arenas: process.env.MALLOC_ARENA_MAX }, message: 'started' })
})`

/** Starts the program of an engine, and resolves with its first reply. */
async function firstReply(): Promise<ThreadReply> {
  const file = join(folder, 'program.mjs')
  writeFileSync(file, PROGRAM)
  const setup = {
    vectorsFolder: folder,
    saveAfterMs: 1,
    scopeBytes: 1,
    engine: { at: folder, storage: {}, catalog: 'c' },
  }
  const { promise, resolve, reject } = Promise.withResolvers<ThreadReply>()
  const program = startIndexProgram(pathToFileURL(file), setup, {
    message: resolve,
    end: (reason) => reject(new Error(reason)),
  })
  onTestFinished(() => program.terminate())
  return promise
}

it('keeps the native memory of an engine in few arenas, unless the environment says how many', async () => {
  expect(await firstReply()).toMatchObject({ facts: { arenas: '2' } })
  vi.stubEnv('MALLOC_ARENA_MAX', '7')
  expect(await firstReply()).toMatchObject({ facts: { arenas: '7' } })
})
