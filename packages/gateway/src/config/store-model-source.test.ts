import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkConfig } from '@tooldex/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashToken } from '../access/tokens.ts'
import { fixedModelSource, type GatewayModel } from '../model/gateway-model.ts'
import type { StoredServer, StoredState, StoredToken } from '../model/stored-state.ts'
import { StoredTokens } from '../model/stored-tokens.ts'
import { type Logger, openLogger } from '../telemetry/logger.ts'
import { findConfigFile, loadConfig } from './load-config.ts'
import { LOCAL_PRINCIPAL, localEndpointId, onDemand, withLocalAccess } from './local-access.ts'
import { NOTHING_STORED } from './merge-config.ts'
import { StoreModelSource } from './store-model-source.ts'

const LAST_VALID = 'the last valid configuration stays in use'
const text = (...ids: string[]) =>
  JSON.stringify({ mcpServers: Object.fromEntries(ids.map((id) => [id, { command: id }])) })
const idsOf = (model: GatewayModel): string[] => model.servers.map(({ id }) => id)

/** A store in memory. */
class States {
  #state: StoredState = NOTHING_STORED
  #listener: (state: StoredState, previous: StoredState) => void = () => {}

  current(): StoredState {
    return this.#state
  }

  onChange(listener: (state: StoredState, previous: StoredState) => void): () => void {
    this.#listener = listener
    return () => (this.#listener = () => {})
  }

  become(change: Partial<StoredState>): void {
    const previous = this.#state
    this.#state = { ...previous, ...change, revision: previous.revision + 1 }
    this.#listener(this.#state, previous)
  }
}
const times = { createdAt: 1, updatedAt: 1 }
const storedServer = (id: string): StoredServer => {
  const [config] = Object.values(checkConfig({ mcpServers: { [id]: { command: id } } }).config?.mcpServers ?? {})
  if (config === undefined) throw new Error('It is a server')
  return { id, config, ...times }
}
const storedToken = (id: string, more: Partial<StoredToken> = {}): StoredToken => ({
  id,
  name: `token ${id}`,
  kind: 'client',
  hash: hashToken(id),
  readOnly: false,
  ...times,
  ...more,
})

let folder: string
let file: string
let source: StoreModelSource
let states: States
let lines: string[]
let onLine: (line: string) => void
let logger: Logger
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tooldex-reload-'))
  file = join(folder, 'tooldex.json')
  writeFileSync(file, text('a'))
  lines = []
  states = new States()
  onLine = () => {}
  logger = openLogger({
    level: 'info',
    write: (line) => {
      lines.push(line)
      onLine(line)
    },
  }).logger
  const load = () => loadConfig(file, { variables: {}, cwd: folder, home: folder })
  source = new StoreModelSource({ initial: await load(), load, store: states, logger, quietMs: 60 })
})
afterEach(async () => {
  await source.stop()
  rmSync(folder, { recursive: true })
})
const logged = (part: string) =>
  new Promise<void>((resolve) => {
    onLine = (line) => line.includes(part) && resolve()
  })
const changed = () =>
  new Promise<[GatewayModel, GatewayModel]>((resolve) => {
    source.onChange((...models) => resolve(models))
  })

describe('StoreModelSource', () => {
  it('follows the file and reports the previous model', async () => {
    await source.watch()
    const change = changed()
    writeFileSync(file, text('a', 'b'))
    const [model, previous] = await change
    expect([idsOf(model), idsOf(previous)]).toEqual([['a', 'b'], ['a']])
    expect(source.current()).toBe(model)
  })

  it('detects a change between reading and watching', async () => {
    writeFileSync(file, text('early'))
    await source.watch()
    expect(idsOf(source.current())).toEqual(['early'])
  })

  it('follows a file that is replaced, as editors do', async () => {
    await source.watch()
    const change = changed()
    writeFileSync(join(folder, '.tooldex.json.swp'), text('c'))
    renameSync(join(folder, '.tooldex.json.swp'), file)
    expect(idsOf((await change)[0])).toEqual(['c'])
  })

  it('keeps the last valid configuration, logs each problem, and applies the next valid one', async () => {
    await source.watch()
    const logLine = logged(LAST_VALID)
    writeFileSync(file, '{"mcpServers":{"a":{"comand":"x"}},"logLevel":"loud"}')
    await logLine
    expect(idsOf(source.current())).toEqual(['a'])
    expect(lines.filter((line) => line.includes('"problem"'))).toHaveLength(2)
    expect(lines.join('')).toContain('did you mean command?')

    const change = changed()
    writeFileSync(file, text('d'))
    expect(idsOf((await change)[0])).toEqual(['d'])
  })

  it('ignores changes of whitespace, comments and the order of keys', async () => {
    let changes = 0
    source.onChange(() => changes++)
    writeFileSync(file, '// note\n{ "logLevel": "info", "mcpServers": { "a": { "args": [], "command": "a" } } }')
    await source.reload()
    expect(changes).toBe(0)
    writeFileSync(file, text('b'))
    await source.reload()
    expect(changes).toBe(1)
  })

  it('detects a new order of servers, which is their priority', async () => {
    writeFileSync(file, text('a', 'b'))
    await source.reload()
    const change = changed()
    writeFileSync(file, text('b', 'a'))
    await source.reload()
    expect(idsOf((await change)[0])).toEqual(['b', 'a'])
  })

  it('logs that some changes need a restart', async () => {
    writeFileSync(file, '{"mcpServers":{"a":{"command":"a"}},"listen":{"port":9}}')
    await source.reload()
    expect(lines.join('')).toContain('take effect after a restart')
    expect(idsOf(source.current())).toEqual(['a'])
  })

  it('survives the removal of the file', async () => {
    await source.watch()
    const logLine = logged('was removed')
    rmSync(file)
    await logLine
    expect(idsOf(source.current())).toEqual(['a'])
  })
})

describe('StoreModelSource without a file', () => {
  const environment = () => ({ variables: {}, cwd: folder, home: folder })
  const homeFile = () => join(folder, '.tooldex', 'tooldex.json')
  /** A source that starts without a file. */
  async function startWithout(): Promise<void> {
    rmSync(file)
    await source.stop()
    source = new StoreModelSource({
      initial: await loadConfig(undefined, environment()),
      load: (path) => loadConfig(path, environment()),
      find: () => findConfigFile(undefined, environment()),
      ...{ store: states, logger, quietMs: 60, lookMs: 5 },
    })
    await source.watch()
  }

  it('loads a file that appears, and follows it', async () => {
    await startWithout()
    states.become({ servers: [storedServer('s')] })
    expect(idsOf(source.current())).toEqual(['s'])
    const appeared = changed()
    writeFileSync(file, text('new'))
    expect(idsOf((await appeared)[0])).toEqual(['new', 's'])
    expect(source.declared().path).toBe(file)
    expect(lines.join('')).not.toContain('take effect after a restart')
    const change = changed()
    writeFileSync(file, text('newer'))
    expect(idsOf((await change)[0])).toEqual(['newer', 's'])
  })

  it('finds a file in a new folder', async () => {
    await startWithout()
    const appeared = changed()
    mkdirSync(join(folder, '.tooldex'))
    writeFileSync(homeFile(), text('home'))
    expect(idsOf((await appeared)[0])).toEqual(['home'])
    expect(source.declared().path).toBe(homeFile())
  })

  it('logs the problems of a new file, keeps stored entries, and loads the corrected file', async () => {
    await startWithout()
    const logLine = logged(LAST_VALID)
    writeFileSync(file, '{"mcpServers":')
    await logLine
    expect(idsOf(source.current())).toEqual([])
    const mended = changed()
    writeFileSync(file, text('mended'))
    expect(idsOf((await mended)[0])).toEqual(['mended'])
  })

  it('does not look for a file without a finder', async () => {
    rmSync(file)
    await source.stop()
    const initial = await loadConfig(undefined, environment())
    source = new StoreModelSource({ initial, load: async () => initial, store: states, logger })
    await source.watch()
    await source.reload()
    expect(source.current().servers).toEqual([])
  })
})

describe('StoreModelSource with a store', () => {
  it('follows the store beside the file', () => {
    const changes: string[][] = []
    source.onChange((model) => changes.push(idsOf(model)))
    states.become({ servers: [storedServer('s')] })
    states.become({ tokens: StoredTokens.of([storedToken('t')]) })
    expect(changes).toEqual([
      ['a', 's'],
      ['a', 's'],
    ])
    expect(source.current().tokens.get(hashToken('t'))).toMatchObject({ tokenId: 't', name: 'token t' })
    states.become({})
    expect(changes).toHaveLength(2)
  })

  it('[R44] revokes a token while the file is invalid', async () => {
    states.become({ tokens: StoredTokens.of([storedToken('t')]) })
    writeFileSync(file, '{"mcpServers":')
    await source.reload()
    expect(source.current().tokens.size).toBe(1)
    states.become({ tokens: StoredTokens.of() })
    expect(source.current().tokens.size).toBe(0)
    expect(idsOf(source.current())).toEqual(['a'])
  })

  it('keeps the last valid model when another gateway stores a declared entry, without revoked tokens', () => {
    const tokens = StoredTokens.of([storedToken('t'), storedToken('u'), storedToken('v')])
    states.become({ tokens })
    states.become({ servers: [storedServer('a')], tokens: tokens.with([storedToken('v', { readOnly: true })], ['u']) })
    expect(idsOf(source.current())).toEqual(['a'])
    expect([...source.current().tokens.values()].map(({ tokenId }) => tokenId)).toEqual(['t'])
    expect(lines.join('')).toContain('is also stored in the database')
    expect(lines.join('')).toContain(LAST_VALID)
    states.become({ servers: [] })
    expect([...source.current().tokens.values()].map(({ tokenId }) => tokenId).toSorted()).toEqual(['t', 'v'])
  })

  it('logs once that a stored entry refers to a missing entry', async () => {
    states.become({ projects: [{ id: 'p', config: { servers: ['a'] }, ...times }] })
    writeFileSync(file, text('b'))
    await source.reload()
    states.become({})
    expect(source.current().projects.get('p')?.serverIds).toEqual([])
    expect(lines.filter((line) => line.includes('refers to the missing'))).toHaveLength(1)
  })
})

describe('withLocalAccess', () => {
  it('adds tokens and endpoints to every model, and is the same object for the same model', async () => {
    const extended = withLocalAccess(source, new Map([['hash', LOCAL_PRINCIPAL]]))
    expect(extended.current().tokens.get('hash')).toBe(LOCAL_PRINCIPAL)
    expect(extended.current()).toBe(extended.current())
    const change = new Promise<GatewayModel>((resolve) => extended.onChange(resolve))
    writeFileSync(file, text('b'))
    await source.reload()
    expect((await change).tokens.get('hash')).toBe(LOCAL_PRINCIPAL)
    expect(idsOf(extended.current())).toEqual(['b'])
  })

  it('keeps the project of the endpoint and always requires a token', () => {
    const { endpoints } = withLocalAccess(source).current()
    expect([...endpoints.keys()]).toEqual(['default', 'local.default'])
    expect(endpoints.get(localEndpointId())).toMatchObject({
      projectId: 'default',
      auth: 'token',
      disclosure: { exposure: 'meta-tools', dialect: 'router' },
    })
  })

  it('does not change the source', () => {
    const fixed = fixedModelSource(source.current())
    withLocalAccess(fixed, new Map([['hash', LOCAL_PRINCIPAL]])).current()
    expect(fixed.current().tokens.size).toBe(0)
    expect(fixed.current().endpoints.size).toBe(1)
  })
})

describe('onDemand', () => {
  it('starts no server by itself', () => {
    expect(onDemand(source.current()).servers.map(({ start }) => start)).toEqual(['on-demand'])
    expect(source.current().servers[0]?.start).toBe('eager')
  })
})
