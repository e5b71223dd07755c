import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { ServerDefinition } from '../model/server.ts'
import type { StoredState } from '../model/stored-state.ts'
import { configFrom, modelOf } from './load-config.ts'
import { NOTHING_STORED } from './merge-config.ts'
import { readEnvFile } from './resolve-servers.ts'

const variables = { TICKETS_TOKEN: 'tkt-1', REGION: 'eu', TOOLDEX_SECRET_KEY: 'never', NO_ADDRESS: 'not an address' }
const folders: string[] = []

afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true }))))

/** The definition of a server that the store has, as the gateway starts it. */
function started(config: object, declared: object = {}): ServerDefinition | undefined {
  const loaded = configFrom(declared, { variables, cwd: '/work', home: '/srv/ana' })
  const state = { ...NOTHING_STORED, servers: [{ id: 's', createdAt: 1, updatedAt: 1, config }] } as unknown
  return modelOf(loaded, state as StoredState).model.servers.find(({ id }) => id === 's')
}

describe('servers of the store', () => {
  it('get the values of their references when they are started, as servers of a file do', () => {
    const url = 'https://${REGION}.example.test/mcp'
    expect(started({ url, headers: { Authorization: 'Bearer ${TICKETS_TOKEN}', 'X-Team': '${TEAM?}' } })).toMatchObject(
      {
        enabled: true,
        transport: { url: 'https://eu.example.test/mcp', headers: { Authorization: 'Bearer tkt-1' } },
      },
    )
  })

  it('are off while a value is missing, and name it', () => {
    const config = { command: 'x', args: ['${KEY}', '${input:stage}', '${KEY}'] }
    expect(started(config)).toMatchObject({ enabled: false, missingValues: ['KEY', 'stage'] })
    expect(started({ ...config, inputs: { KEY: 'k', stage: 'dev' } })).toMatchObject({
      enabled: true,
      transport: { args: ['k', 'dev', 'k'] },
    })
  })

  it('cannot read the variables of the gateway itself', () => {
    expect(started({ command: 'x', env: { K: '${TOOLDEX_SECRET_KEY}' } })).toMatchObject({
      missingValues: ['TOOLDEX_SECRET_KEY'],
    })
  })

  it('are off if the resolved address is none', () => {
    expect(started({ url: '${NO_ADDRESS}' })).toMatchObject({ missingValues: ['a valid address in url'] })
  })

  it('keep a text with an escaped reference, and tools whose names look like one', () => {
    const config = { command: 'x', args: ['$${HOME}'], toolPermissions: { '${REGION}': false } }
    expect(started(config)?.transport).toMatchObject({ args: ['${HOME}'] })
  })

  it('get the variables of their env file, and those of env before them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tooldex-env-'))
    folders.push(folder)
    await writeFile(join(folder, '.env'), 'DB=one\nPOOL=5\n')
    const envFile = join(folder, '.env')
    expect(started({ command: 'x', envFile, env: { POOL: '6' } })?.transport).toMatchObject({
      env: { DB: 'one', POOL: '6' },
    })
    expect(started({ command: 'x', envFile: join(folder, 'none') })).toMatchObject({
      missingValues: [`the file ${join(folder, 'none')}`],
    })
  })
})

describe('readEnvFile', () => {
  it('reads exports, quotes, comments, CRLF and a byte order mark', () => {
    const text =
      '\uFEFF# database\r\nDB_URL=postgres://h/d # here\r\nexport POOL="5"\r\nNAME=\'a # b\'\r\nbroken line\r\nEMPTY='
    expect(readEnvFile(text)).toEqual({ DB_URL: 'postgres://h/d', POOL: '5', NAME: 'a # b', EMPTY: '' })
  })
})
