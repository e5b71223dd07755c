import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { silentLogger } from './logger.ts'
import { UNWATCHED } from './activities.ts'
import { Watchdog } from './watchdog.ts'

const PROGRAM = fileURLToPath(new URL('./fixtures/blocked-program.ts', import.meta.url))
const FREE = 'end the program at once'
const programs: ChildProcess[] = []

afterEach(() => {
  for (const program of programs.splice(0)) program.kill('SIGKILL')
})

/** A program whose main thread is blocked, once its output has the text. */
async function blocked(how: string, text: string) {
  const program = fork(PROGRAM, [how], { silent: true, execArgv: ['--conditions=tooldex-source'] })
  programs.push(program)
  const exited = once(program, 'exit')
  let output = ''
  const { promise: isSaid, resolve } = Promise.withResolvers<void>()
  for (const stream of [program.stdout, program.stderr]) {
    stream?.on('data', (chunk) => {
      output += String(chunk)
      if (output.includes(text)) resolve()
    })
  }
  await once(program, 'message')
  program.send('block')
  await isSaid
  return { program, exited, output: () => output }
}

describe('Watchdog', { timeout: 30_000 }, () => {
  it.each(['loop', 'expression'])('lets SIGTERM end a program that is blocked in a %s', async (how) => {
    const { program, exited, output } = await blocked(how, FREE)
    program.kill('SIGTERM')
    expect(await exited).toEqual([null, 'SIGTERM'])
    expect(output()).toContain('"activity":"trying how long this takes","msg":"the event loop is blocked"')
  })

  it('puts the handlers of signals back when the program goes on', async () => {
    const { program, exited, output } = await blocked('for a while', 'goes on')
    program.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    expect(output()).toContain('stopped gracefully')
  })

  it('passes the result and the failure of an activity on', async () => {
    const watchdog = new Watchdog({ logger: silentLogger(), pretty: false })
    watchdog.wake()
    expect(watchdog.during('a', () => 7)).toBe(7)
    expect(() =>
      watchdog.during('b', () => {
        throw new Error('no')
      }),
    ).toThrow('no')
    await watchdog.stop()
    expect(UNWATCHED.during('c', () => 8)).toBe(8)
  })
})
