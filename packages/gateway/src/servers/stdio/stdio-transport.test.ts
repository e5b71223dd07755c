import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { GatewayError } from '../../errors.ts'
import { PsTable, systemProcessTable } from './process-table.ts'
import { connect as connectFixture, fixtureTransport, running } from './stdio-connection.case.ts'

type Connection = Awaited<ReturnType<typeof connectFixture>>

const open: Connection[] = []
const connect = async (...args: Parameters<typeof connectFixture>): Promise<Connection> => {
  const connection = await connectFixture(...args)
  open.push(connection)
  return connection
}
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ transport }) => transport.close()))
})

/** How long the event loop was held up at most, in milliseconds, while something went on. */
async function longestStall(work: () => Promise<unknown>): Promise<number> {
  let last = performance.now()
  let longest = 0
  const look = (): void => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 1)
  await work()
  look()
  clearInterval(timer)
  return longest
}

const isZombie = (pid: number | null): boolean => readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ')

const MB = 1024 * 1024

describe('StdioTransport and replies', () => {
  it('carries calls of a real client', async () => {
    const { text } = await connect('misbehaving-server')
    const values = Array.from({ length: 50 }, (_, index) => `zwölf ${index}`)
    expect(await Promise.all(values.map((value) => text('echo', { value })))).toEqual(values)
  })

  it('fails the one call whose reply is too large, wherever its id stands, and no other', async () => {
    const { call, text, transport } = await connect('misbehaving-server', { maxReplyBytes: 8 * MB })
    const others = Promise.all(Array.from({ length: 20 }, (_, value) => text('echo', { value })))
    for (const first of [true, false]) {
      const error = await call('huge', { mb: 12, first }).catch((failure: unknown) => failure)
      expect(error).toMatchObject({ data: { code: 'REPLY_TOO_LARGE', details: { server: 'fixture', limit: 8 * MB } } })
      expect((error as { data: unknown }).data).toBeInstanceOf(GatewayError)
    }
    expect(await others).toHaveLength(20)
    expect(await text('echo', { value: 'still here' })).toBe('still here')
    expect(transport.counts()).toEqual({ noise: 0, broken: 0, oversize: 2, stray: 0 })
  })

  it('passes a large reply that is within the limit', async () => {
    const { call } = await connect('misbehaving-server', { maxReplyBytes: 16 * MB })
    let length = 0
    const stall = await longestStall(async () => {
      length = (await call('huge', { mb: 9, first: true })).content[0]?.text.length ?? 0
    })
    expect(length).toBe(9 * MB)
    // 20 to 30 ms on an idle machine; this one may be busy.
    expect(stall).toBeLessThan(500)
  })

  it('fails the only open call at once when something broken comes in place of its reply', async () => {
    const { call, text, log } = await connect('misbehaving-server')
    for (const output of ['{"jsonrpc":"2.0","id":99,"result":{"content":["secret\n', '{"jsonrpc": broken}\n']) {
      await expect(call('write', { output })).rejects.toMatchObject({ data: { code: 'REPLY_INVALID' } })
    }
    expect(await text('echo', { value: 1 })).toBe('1')
    expect(JSON.stringify(log.lines())).not.toContain('secret')
  })

  it('fails the call that a broken reply names while others are open, and none if it names none', async () => {
    const { call, text, client } = await connect('misbehaving-server')
    const hanging = call('hang')
    let isSettled = false
    hanging.catch(() => undefined).finally(() => (isSettled = true))
    await expect(call('write', { output: '{"jsonrpc":"2.0","id":2,"resul\n' })).rejects.toMatchObject({
      data: { code: 'REPLY_INVALID' },
    })
    await text('write', { output: '{"jsonrpc": broken}\n{"jsonrpc":"2.0","id":3,"result":{"content":[]}}\n' })
    expect(isSettled).toBe(false)
    await client.close()
    await hanging.catch(() => undefined)
  })

  it('answers a call whose reply has the wrong shape, or is an error without an id', async () => {
    const { call } = await connect('misbehaving-server')
    await expect(call('write', { output: '{"jsonrpc":"2.0","id":1,"result":"text"}\n' })).rejects.toMatchObject({
      data: { code: 'REPLY_INVALID' },
    })
    const parseError = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"cannot read"}}\n'
    await expect(call('write', { output: parseError })).rejects.toMatchObject({ code: -32_700 })
  })

  it('drops replies without an open request', async () => {
    const { text, transport } = await connect('misbehaving-server')
    const stray = '{"jsonrpc":"2.0","id":77,"result":{}}\n{"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n'
    await text('write', { output: stray })
    expect(transport.counts().stray).toBe(1)
  })

  it('reads on through noise and keeps it, without controls, in the log', async () => {
    const { text, transport, log } = await connect('misbehaving-server')
    expect(await text('noise', { lines: 2 })).toBe('done')
    expect(log.last(9)).toEqual([
      'Welcome to the fixture',
      'loading part 0 { of: many }',
      'loading part 1 { of: many }',
      '{"level":"info","message":"a structured log"}',
    ])
    expect(transport.counts()).toMatchObject({ noise: 4, broken: 0 })
  })

  it('is not kept busy by floods of noise and of errors', async () => {
    const { text } = await connect('misbehaving-server')
    const quiet = await connect('misbehaving-server')
    const floods = Promise.all([text('outputFlood', { lines: 40_000 }), text('stderrFlood', { mb: 2 })])
    const stall = await longestStall(() => quiet.text('echo', { value: 1 }))
    expect(await floods).toEqual(['flooded', 'flooded'])
    expect(stall).toBeLessThan(500)
  })

  it('answers a request of the server that is too large', async () => {
    const { transport } = fixtureTransport('misbehaving-server', { maxReplyBytes: 1_000 })
    await transport.start()
    const request = { jsonrpc: '2.0', id: 'ask', method: 'sampling/createMessage', params: { text: 'x'.repeat(2_000) } }
    const answered = new Promise((resolve) => {
      transport.onmessage = resolve
    })
    const params = { name: 'write', arguments: { output: `${JSON.stringify(request)}\n` } }
    await transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    expect(await answered).toMatchObject({ params: { to: 'ask', error: { data: { code: 'REPLY_TOO_LARGE' } } } })
    await transport.close()
  })

  it('survives a listener that throws', async () => {
    const { transport } = fixtureTransport('misbehaving-server')
    const problems: string[] = []
    transport.onerror = (error) => problems.push(error.message)
    const second = new Promise<void>((resolve) => {
      transport.onmessage = (message) => {
        if ('id' in message && message.id === 1) throw new Error('a mistake')
        resolve()
      }
    })
    await transport.start()
    for (const id of [1, 2]) {
      await transport.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'pid' } })
    }
    await second
    expect(problems).toEqual(['a mistake'])
    await transport.close()
  })
})

describe('StdioTransport and the process', () => {
  it('gives a server nothing of ours but three pipes and a few harmless variables', async () => {
    const ourEnv = {
      ...process.env,
      DATABASE_URL: 'postgres://canary',
      NODE_OPTIONS: '--no-deprecation',
      TOOLDEX_SECRET: 'canary',
    }
    const { call } = await connect('misbehaving-server', { ourEnv, env: { API_KEY: 'declared' }, cwd: '/' })
    const { env, cwd, files } = (await call('surroundings')).structuredContent as {
      env: Record<string, string>
      cwd: string
      files: string[]
    }
    const harmless = /^(?:PATH|HOME|LANG|LANGUAGE|LC_\w+|TMPDIR|TEMP|TMP|TZ|USER|LOGNAME|SHELL|TERM)$/
    expect(
      Object.keys(env)
        .filter((name) => !harmless.test(name))
        .sort(),
    ).toEqual(['API_KEY', 'TOOLDEX_GATEWAY'])
    expect(JSON.stringify(env)).not.toContain('canary')
    expect(cwd).toBe('/')
    // The runtime's own descriptors are epoll, eventfd and the like; a socket or file beyond the three would be ours.
    const foreign = files.filter((file) => /socket:|pipe:|\.(?:ts|js|db|log)\b/.test(file) && !/^[012] /.test(file))
    const ownPipes = foreign.filter((file) => file.includes('pipe:'))
    expect(foreign).toEqual(ownPipes)
  })

  it('tells how the server ended when it crashes in a call, and fails the call at once', async () => {
    const exits: unknown[] = []
    const { call, transport, client } = await connect('misbehaving-server', { onExit: (exit) => exits.push(exit) })
    const closed = new Promise<void>((resolve) => {
      client.onclose = resolve
    })
    await expect(call('crash', { code: 7 })).rejects.toThrow('Connection closed')
    await closed
    expect(exits).toEqual([{ code: 7, signal: null, lastLines: ['about to fail'] }])
    expect(transport.pid).toBeNull()
    await expect(transport.send({ jsonrpc: '2.0', method: 'x' })).rejects.toMatchObject({
      code: 'SERVER_CRASHED',
      details: { server: 'fixture', reason: 'it exited with code 7' },
    })
  })

  it('delivers what a server wrote just before it ended', async () => {
    const { transport } = fixtureTransport('misbehaving-server', {
      args: [
        '-e',
        `process.stdout.write('{"jsonrpc":"2.0","method":"last","params":{"text":"${'x'.repeat(50_000)}"}}')`,
      ],
    })
    const methods: unknown[] = []
    transport.onmessage = (message) => methods.push('method' in message && message.method)
    const closed = new Promise<void>((resolve) => {
      transport.onclose = resolve
    })
    await transport.start()
    // Both its end and its last words are there before we look.
    while (process.platform === 'linux' && transport.pid !== null && !isZombie(transport.pid)) await Promise.resolve()
    await closed
    expect(methods).toEqual(['last'])
  })

  it('sweeps what a server started when the server ends by itself, even if that holds its streams open', async () => {
    const { text, call } = await connect('misbehaving-server', {
      stopTimes: { graceMs: 1, termMs: 100, killMs: 1_000 },
    })
    const kinds = [{ detached: false }, { detached: true }, { detached: true, stdio: 'inherit' }]
    const children = (await Promise.all(kinds.map((kind) => text('fork', kind)))).map(Number)
    expect(await running(children)).toEqual(children)
    await expect(call('crash')).rejects.toThrow('Connection closed')
    await vi.waitUntil(async () => (await running(children)).length === 0, { timeout: 10_000 })
  })

  it.each([
    ['the table of this system', systemProcessTable(process.platform)],
    ['ps', new PsTable()],
  ])('stops a server that ignores everything, with all that it started (%s)', async (_, table) => {
    const stopTimes = { graceMs: 50, termMs: 100, killMs: 1_000 }
    const { text, transport } = await connect('stubborn-server', { stopTimes, table })
    const family = (await text('family'))?.split(' ').map(Number) ?? []
    expect(family).toHaveLength(4)
    expect(await running(family)).toEqual(family)
    await Promise.all([transport.close(), transport.close()])
    expect(await running(family)).toEqual([])
    await transport.close()
  })

  it('lets a server that obeys end by itself', async () => {
    const { transport, text } = await connect('misbehaving-server', {
      stopTimes: { graceMs: 5_000, termMs: 1, killMs: 1 },
    })
    const pid = Number(await text('pid'))
    await transport.close()
    expect(transport.exit).toMatchObject({ code: 0, signal: null })
    expect(await running([pid])).toEqual([])
  })

  it('ends a server that has closed its output', async () => {
    const { call, transport } = await connect('misbehaving-server', {
      stopTimes: { graceMs: 50, termMs: 500, killMs: 500 },
    })
    await expect(call('closeOutput')).rejects.toThrow('Connection closed')
    expect(transport.pid).toBeNull()
  })

  it('fails to start with the reason, and closes without one', async () => {
    const { transport } = fixtureTransport('misbehaving-server', { command: 'no-such-program' })
    await expect(transport.start()).rejects.toMatchObject({ code: 'SERVER_START_FAILED' })
    await expect(transport.send({ jsonrpc: '2.0', method: 'x' })).rejects.toMatchObject({ code: 'SERVER_STOPPED' })
    await transport.close()
    await fixtureTransport('misbehaving-server').transport.close()
  })

  it('leaves nothing when it is closed while it starts', async () => {
    const { transport } = fixtureTransport('stubborn-server', { stopTimes: { graceMs: 1, termMs: 1, killMs: 1_000 } })
    const started = transport.start()
    const closed = transport.close()
    await expect(started).rejects.toMatchObject({ code: 'SERVER_STOPPED' })
    await closed
    expect(transport.pid).toBeNull()
  })

  it('refuses more when a server does not read', async () => {
    const { transport } = fixtureTransport('misbehaving-server', {
      args: ['-e', 'setInterval(() => {}, 1000)'],
      stopTimes: { graceMs: 1, termMs: 1_000, killMs: 1_000 },
    })
    await transport.start()
    const big = { jsonrpc: '2.0' as const, method: 'x', params: { text: 'x'.repeat(9 * MB) } }
    const sends = Promise.allSettled([transport.send(big), transport.send(big)])
    await expect(transport.send(big)).rejects.toMatchObject({ code: 'SERVER_BUSY', details: { server: 'fixture' } })
    await transport.close()
    for (const { status } of await sends) expect(status).toBe('rejected')
  })
})
