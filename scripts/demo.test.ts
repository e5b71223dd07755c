import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { run } from './run.ts'

const demo = (...args: string[]) => run(process.execPath, [fileURLToPath(new URL('demo.ts', import.meta.url)), ...args])

describe('npm start', () => {
  it('shows examples and ends where nobody can type', async () => {
    const { code, output } = await demo()
    expect(code).toBe(0)
    expect(output.match(/^ {2}find /gm)).toHaveLength(3)
    expect(output).not.toContain('\u001b')
  })

  it('searches what it is given, as one query', async () => {
    const { code, output } = await demo('book', 'a meeting room')
    expect(code).toBe(0)
    expect(output).toMatch(/find "book a meeting room" .*\n {3}1 {2}daybook:rooms\.book /)
  })

  it('explains itself, also when it is asked for something it does not know', async () => {
    expect(await demo('--help')).toMatchObject({ code: 0, output: expect.stringContaining('npm start') })
    expect(await demo('--nope')).toMatchObject({ code: 2, output: expect.stringContaining("'--nope'") })
  })
})
