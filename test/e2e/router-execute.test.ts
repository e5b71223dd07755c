// tool_execute through a running gateway: names of tools, results, and reasons of failures.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClientKind, echoOf, failureOf, type Json, textOf } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { gatewayWith, type TestGateway, until } from '../kit/gateway.ts'

const IMAGE = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png', annotations: { priority: 0.5 } }
const RESOURCE = { type: 'resource', resource: { uri: 'file:///a', text: 'ä\u2028€', mimeType: 'text/plain' } }
const RICH = { content: [{ type: 'text', text: 'x' }, IMAGE, RESOURCE], _meta: { 'example.org/cost': 3 } }
const STRUCTURED = { content: [{ type: 'text', text: '{"n":1}' }], structuredContent: { n: 1 } }
const PERSON = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 2 }, age: { type: 'integer' } },
  required: ['name'],
  additionalProperties: false,
}
const LOOK = { ...textTool('look', 'Look at a note.'), annotations: { readOnlyHint: true } }
const CLAIMED = { ...textTool('claim', 'Claims to read.'), annotations: { readOnlyHint: 'true' } }
const WORK = [
  LOOK,
  CLAIMED,
  textTool('add_note', 'Add a note.', ['text']),
  { name: 'greet', inputSchema: PERSON },
  ...['rich', 'structured', 'fail', 'refuse', 'progress', 'hang', 'banned'].map((name) => textTool(name, name)),
]

let gateway: TestGateway

beforeAll(async () => {
  const answers = [
    ['rich', { result: RICH }],
    ['structured', { result: STRUCTURED }],
    ...(['fail', 'refuse', 'progress', 'hang'] as const).map((name) => [name, name] as const),
  ] as const
  gateway = await gatewayWith({
    servers: {
      w1: fixtureServer(
        { tools: WORK, answers },
        { name: 'Work', limits: { callTimeoutMs: 400, maxCallTimeoutMs: 800 } },
      ),
      t1: fixtureServer({ tools: [textTool('turn', 'Turn left.')] }, { name: 'Twin' }),
      t2: fixtureServer({ tools: [textTool('turn', 'Turn right.')] }, { name: 'twin' }),
      resting: fixtureServer({ tools: [textTool('rest', 'Rest.')] }, { enabled: false }),
      broken: fixtureServer({ tools: [], trouble: 'crash-at-start' }),
      foreign: fixtureServer({ tools: [textTool('secret_plan', 'Make a secret plan.')] }),
    },
    projects: {
      main: {
        servers: ['w1', 't1', 't2', 'resting', 'broken'],
        optimization: 'bm25',
        tools: { 'w1:banned': { allowed: false } },
      },
      other: { servers: ['foreign'], optimization: 'bm25' },
    },
    endpoints: {
      main: { project: 'main' },
      direct: { project: 'main', directCalls: true },
      variants: { project: 'main', executeVariants: true },
      other: { project: 'other' },
    },
  })
})

afterAll(() => gateway.stop())

describe.each<ClientKind>(['modern', 'v1'])('a %s client', (kind) => {
  const execute = async (toolKey: unknown, args?: unknown, options?: object): Promise<Json> => {
    const client = await gateway.client(kind, 'main')
    return client.call('tool_execute', { toolKey, ...(args !== undefined && { arguments: args }) }, options)
  }
  const code = (result: Json): string | undefined => {
    expect(result['isError']).toBe(true)
    return result['_meta']?.['io.tooldex/error']?.code
  }

  it.each(['w1:add_note', 'Work:add_note', 'work:add_note', 'WORK:add_note', 'Work__add_note', 'Work___add_note'])(
    '[R34] runs the tool that is written as %s',
    async (toolKey) => {
      const result = await execute(toolKey, { text: 'a' })
      expect(JSON.parse(textOf(result))).toEqual({ tool: 'add_note', arguments: { text: 'a' } })
    },
  )

  it('[R34] lists the candidates where two tools could be meant', async () => {
    const result = await execute('TWIN:turn')
    expect(code(result)).toBe('TOOL_AMBIGUOUS')
    expect(textOf(result)).toContain('t1:turn or t2:turn')
    expect(JSON.parse(textOf(await execute('t2:turn'))).tool).toBe('turn')
  })

  it('[R34] takes arguments that a model wrote as JSON text', async () => {
    expect(JSON.parse(textOf(await execute('w1:add_note', '{"text":"b"}'))).arguments).toEqual({ text: 'b' })
  })

  it('[R35] passes on the result of the server, and adds nothing', async () => {
    const { content, structuredContent, _meta } = await execute('w1:rich')
    expect({ content, _meta: without('io.modelcontextprotocol/serverInfo', _meta) }).toEqual(RICH)
    expect(structuredContent).toBeUndefined()
    expect(await execute('w1:structured')).toMatchObject(STRUCTURED)
    const failed = await execute('w1:fail')
    expect(failed).toMatchObject({ isError: true, content: [{ text: '"it broke"' }] })
    expect(await failureOf(execute('w1:refuse'))).toMatchObject({ code: -32042, data: { cheese: 'brie' } })
  })

  it('[R2] runs read-only tools alone through tool_execute_read, and everything through tool_execute', async () => {
    const client = await gateway.client(kind, 'variants')
    const read = (toolKey: string) => client.call('tool_execute_read', { toolKey, arguments: {} })
    expect(echoOf(await read('w1:look')).tool).toBe('look')
    expect(echoOf(await client.call('tool_execute', { toolKey: 'w1:look' })).tool).toBe('look')
    for (const toolKey of ['w1:rich', 'w1:claim']) {
      const before = (await gateway.seenBy('w1')).length
      const refused = await read(toolKey)
      expect(code(refused)).toBe('TOOL_NOT_READ_ONLY')
      expect(textOf(refused)).toContain('Run it with tool_execute')
      expect((await gateway.seenBy('w1')).slice(before).filter(({ method }) => method === 'tools/call')).toEqual([])
      expect(gateway.audited().at(-1)).toMatchObject({ kind: 'call', outcome: 'TOOL_NOT_READ_ONLY', toolKey })
    }
    expect(code(await read('foreign:secret_plan'))).toBe('TOOL_NOT_FOUND')
    expect(textOf(await client.call('tool_execute_read', {}))).toContain('Call tool_execute_read again')
    const [, execute, executeRead] = await client.listTools()
    expect(execute?.['annotations']).toMatchObject({ readOnlyHint: false, destructiveHint: true })
    expect(executeRead?.['annotations']).toMatchObject({ readOnlyHint: true })
  })

  it('[R2] has no tool_execute_read on other endpoints', async () => {
    const client = await gateway.client(kind, 'main')
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['tool_discovery', 'tool_execute'])
    expect((await failureOf(client.call('tool_execute_read', { toolKey: 'w1:look' }))).data?.['code']).toBe(
      'TOOL_NOT_FOUND',
    )
  })

  it.each(['w1:banned', 'resting:rest', 'broken:anything', 'foreign:secret_plan', 'w1:nothing', 'TWIN:turn'])(
    '[R36] checks %s exactly as a direct call does',
    async (name) => {
      const direct = await failureOf((await gateway.client(kind, 'direct')).call(name, {}))
      const executed = await execute(name)
      expect(code(executed)).toBe(direct.data?.['code'])
      expect(without('code', executed['_meta']['io.tooldex/error'])).toEqual(without('code', direct.data))
    },
  )

  it('[R37] answers alike about tools out of reach and tools that do not exist', async () => {
    const [forbidden, unknown] = await Promise.all([execute('foreign:secret_plan'), execute('foreign:secret_plot')])
    expect(code(forbidden)).toBe('TOOL_NOT_FOUND')
    expect(anonymous(forbidden, 'secret_plan')).toBe(anonymous(unknown, 'secret_plot'))
  })

  it('[R37] gives the true reason, a remedy and near names within reach', async () => {
    const banned = await execute('w1:banned')
    expect(code(banned)).toBe('TOOL_DISABLED')
    expect(textOf(banned)).toMatch(/disabled in project "main".*administrator can enable it in the project/)
    const resting = await execute('resting:rest')
    expect(code(resting)).toBe('SERVER_STOPPED')
    expect(textOf(resting)).toMatch(/"resting" was stopped or disabled.*can start it/)
    const broken = await execute('broken:anything')
    expect(code(broken)).toBe('SERVER_FAILED')
    expect(textOf(broken)).toContain('"broken"')
    const near = await execute('w1:add_notes')
    expect(code(near)).toBe('TOOL_NOT_FOUND')
    expect(textOf(near)).toContain('Similar names: Work__add_note')
    expect(textOf(near)).not.toMatch(/banned|secret/)
  })

  it('[R38] answers arguments that do not fit with the messages and the schema, and does not call', async () => {
    const before = (await gateway.seenBy('w1')).length
    const result = await execute('w1:greet', { name: 'x', age: 'old', colour: 'red' })
    expect(code(result)).toBe('INVALID_ARGUMENTS')
    for (const part of ['greet', 'name', 'age', 'colour', JSON.stringify(PERSON)])
      expect(textOf(result)).toContain(part)
    const calls = (await gateway.seenBy('w1')).slice(before).filter(({ method }) => method === 'tools/call')
    expect(calls).toEqual([])
    expect((await execute('w1:greet', { name: 'Ada' }))['isError']).toBeFalsy()
  })

  it.each([
    ['', {}],
    ['', { toolKey: 7 }],
    ['', { toolKey: ' ' }],
    ['w1:rich', { toolKey: 'w1:rich', arguments: [1] }],
    ['w1:rich', { toolKey: 'w1:rich', arguments: '{' }],
  ])(
    '[R38] records the tool %j of an invalid input of its own, and answers %j with its schema',
    async (toolKey, input) => {
      const result = await (await gateway.client(kind, 'main')).call('tool_execute', input)
      expect(result['isError']).toBe(true)
      expect(textOf(result)).toMatch(/^INVALID_ARGUMENTS: .*"toolKey"/s)
      expect(gateway.audited().at(-1)).toMatchObject({ kind: 'call', outcome: 'INVALID_ARGUMENTS', toolKey })
    },
  )

  it('[R39] passes progress on', async () => {
    const steps: number[] = []
    const result = await execute('w1:progress', {}, { onprogress: ({ progress }: Json) => void steps.push(progress) })
    expect(textOf(result)).toBe('"done"')
    expect(steps).toEqual([1, 2, 3])
  })

  it('[R39] passes cancellation on', async () => {
    const controller = new AbortController()
    const [before, hangs] = [await cancellations(), await hungCalls()]
    const call = execute('w1:hang', {}, { signal: controller.signal })
    await until(async () => (await hungCalls()) > hangs)
    controller.abort()
    await expect(call).rejects.toThrow(/abort/i)
    await until(async () => (await cancellations()) === before + 1)
  })

  it('[R39] ends a call at its time limit, and cancels it at the server', async () => {
    const before = await cancellations()
    const result = await execute('w1:hang')
    expect(code(result)).toBe('SERVER_TIMEOUT')
    expect(textOf(result)).toContain('Work')
    await until(async () => (await cancellations()) === before + 1)
  })
})

async function cancellations(): Promise<number> {
  const seen = await gateway.seenBy('w1')
  return seen.filter(({ method }) => method === 'notifications/cancelled').length
}

async function hungCalls(): Promise<number> {
  const seen = await gateway.seenBy('w1')
  return seen.filter(({ params }) => params?.name === 'hang').length
}

function anonymous(result: Json, name: string): string {
  return JSON.stringify(result).replaceAll(name, '<name>')
}

function without(key: string, value: Json = {}): Json {
  const { [key]: _, ...rest } = value
  return rest
}
