// The secret key is lost: the start says which secrets are unreadable and how to enter them again; nothing else stops.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { until } from '../kit/gateway.ts'
import { Machine } from '../kit/program.ts'

const TIME_LIMIT_MS = 90_000
const MEMORY = 'npx -y @modelcontextprotocol/server-memory'

describe('a gateway whose secret key is lost', { timeout: TIME_LIMIT_MS }, () => {
  it('names each secret and the command that enters it again, and runs everything else', async () => {
    await using machine = new Machine()
    await machine.run(`tooldex server add plain -- ${MEMORY}`)
    await machine.run(`tooldex server add secret --env KEY=one -- ${MEMORY} --token two`)
    rmSync(join(machine.dataDir, 'secret.key'))
    const reason = 'The environment variables KEY, the arguments of the server secret cannot be decrypted'
    const remedy = `tooldex server set secret --env KEY=… -- ${MEMORY} --token …`

    const examined = await machine.run('tooldex doctor')
    expect(examined.code).toBe(1)
    expect(examined.out).toContain(reason)
    expect(examined.out).toContain(remedy)
    expect(examined.err).toBe('')

    const gateway = await machine.serve()
    await until(() => gateway.err.includes(reason))
    expect(gateway.err).toContain(remedy)
    const states = async (): Promise<string> => (await machine.run('tooldex server list')).out
    await until(async () => /plain +running/.test(await states()))
    expect(await states()).toMatch(/secret +stopped .*The environment/)
    expect((await machine.run('tooldex server show secret')).out).toContain(remedy)
    expect((await machine.run('tooldex doctor')).out).toMatch(/servers +1 without problems/)

    const entered = await machine.run(`tooldex server set secret --env KEY=three -- ${MEMORY}`)
    expect(entered.code).toBe(0)
    await until(async () => /secret +running/.test(await states()))
    expect((await machine.run('tooldex doctor')).out).toContain('all stored secrets are readable')
  })
})
