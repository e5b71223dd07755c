import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exitSentence, startChild } from './child-process.ts'

const start = (options: Partial<Parameters<typeof startChild>[0]>) =>
  startChild({ server: 'files', command: process.execPath, args: [], env: {}, platform: process.platform, ...options })

describe('startChild', () => {
  it('says which command was not found and what to do', async () => {
    await expect(start({ command: 'no-such-program' })).rejects.toMatchObject({
      code: 'SERVER_START_FAILED',
      details: { server: 'files', command: 'no-such-program', reason: 'the command "no-such-program" was not found' },
      message: expect.stringContaining('Install it'),
    })
  })

  it('tells a folder that is missing from a command that is', async () => {
    const rejected = { code: 'SERVER_START_FAILED', details: { reason: '"./nowhere" is not a folder' } }
    await expect(start({ cwd: './nowhere' })).rejects.toMatchObject(rejected)
  })

  it('says that a file may not be executed', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'tooldex-')), 'script')
    writeFileSync(file, '', { mode: 0o600 })
    await expect(start({ command: file })).rejects.toMatchObject({
      details: { reason: `"${file}" may not be executed` },
    })
  })

  it('refuses a zero byte and an empty command', async () => {
    for (const options of [{ command: '' }, { command: 'a\0b' }, { args: ['\0'] }, { env: { A: '\0' } }]) {
      await expect(start(options)).rejects.toMatchObject({ code: 'SERVER_START_FAILED' })
    }
  })

  it('hands arguments to the program and never to a shell', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tooldex-'))
    const canary = join(folder, 'canary')
    const payloads = [
      `; touch ${canary}`,
      `$(touch ${canary})`,
      `\`touch ${canary}\``,
      `\ntouch ${canary}\n`,
      `| touch ${canary}`,
    ]
    const child = await start({ args: ['-e', 'console.log(JSON.stringify(process.argv.slice(1)))', '--', ...payloads] })
    const output: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
    await new Promise((resolve) => child.once('close', resolve))
    expect(JSON.parse(Buffer.concat(output).toString())).toEqual(payloads)
    for (const payload of payloads) await start({ command: `true ${payload}` }).catch(() => undefined)
    expect(existsSync(canary)).toBe(false)
  })
})

describe('exitSentence', () => {
  it('tells a code from a signal', () => {
    expect(exitSentence({ code: 3, signal: null, lastLines: [] })).toBe('it exited with code 3')
    expect(exitSentence({ code: null, signal: 'SIGSEGV', lastLines: ['secret'] })).toBe('it was ended by SIGSEGV')
  })
})
