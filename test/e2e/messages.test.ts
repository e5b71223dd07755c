import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { Machine } from '../kit/program.ts'

describe('messages of the program', { timeout: 60_000 }, () => {
  it('[R22] says everywhere that a server runs, that its tools are unknown, and why', async () => {
    await using machine = new Machine()
    const mcpServers = {
      good: fixtureServer({ tools: [textTool('read', 'Reads')] }),
      mute: fixtureServer({ tools: [], trouble: 'refuse-list' }),
    }
    writeFileSync(join(machine.folder, 'tooldex.json'), JSON.stringify({ mcpServers }))
    const gateway = await machine.serve()
    expect(gateway.out).toContain('mute: running, tools unknown: the list is lost')
    const list = await machine.run('tooldex server list')
    expect(list.out).toMatch(/mute +running, tools unknown +- .*the list is lost/)
    expect(list.out).toMatch(/good +running +1 /)
    const { servers } = (await machine.run('tooldex server list --json')).json()
    expect(servers).toMatchObject([{ id: 'good' }, { id: 'mute', toolsUnknown: 'the list is lost', isLastGood: false }])
    const doctor = await machine.run('tooldex doctor')
    expect([doctor.code, doctor.out]).toEqual([
      1,
      expect.stringContaining('it is running, tools unknown: the list is lost'),
    ])
    const call = await machine.run('tooldex call mute:anything')
    expect([call.code, call.err + call.out]).toEqual([4, expect.stringContaining('its tools are unknown')])
  })

  it('says which servers a new project takes from the default one', async () => {
    await using machine = new Machine()
    await machine.run('tooldex server add a -- sh')
    await machine.run('tooldex server add b -- sh')
    const added = await machine.run('tooldex project add work --server a')
    expect(added.out).toContain('no longer in the project default: a')
    const second = await machine.run('tooldex project add more --server a')
    expect(second.out).not.toContain('no longer')
  })
})
