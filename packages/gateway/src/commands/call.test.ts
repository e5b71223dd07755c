import { describe, expect, it } from 'vitest'
import { ERROR_META_KEY } from '../calls/mistake-result.ts'
import { GatewayError, ServerReplyError } from '../errors.ts'
import { fakeContext } from './fake-gateway.case.ts'
import { runProgram } from './program.ts'
import { useCommands } from './use-commands.case.ts'

const { folder, run, runningGateway } = useCommands()

describe('tooldex call', () => {
  it('starts the server for the call', async () => {
    const { code, out, asked } = await run(['call', 'a:one', '{"x":1}'])
    expect([code, out()]).toEqual([0, 'done\n'])
    expect(asked.calls).toEqual([{ tool: 'a:one', args: { x: 1 }, endpointId: 'local.default' }])
    expect(asked.stopped).toBe(1)
  })

  it('reads arguments from standard input', async () => {
    const kit = fakeContext(folder())
    kit.input.end('{"y":2}')
    expect(await runProgram(['call', 'a:one', '-'], kit.context)).toBe(0)
    expect(kit.asked.calls).toMatchObject([{ args: { y: 2 } }])
  })

  it.each(['{', '[]', 'null', '7'])('rejects the arguments %s', async (json) => {
    const { code, err, asked } = await run(['call', 'a:one', json])
    expect(code).toBe(2)
    expect(err()).toContain('arguments')
    expect(asked.assembled).toEqual([])
  })

  it.each([
    [new GatewayError('TOOL_NOT_FOUND'), 3],
    [new GatewayError('SERVER_NOT_FOUND'), 3],
    [new GatewayError('SERVER_TIMEOUT'), 4],
    [new GatewayError('INVALID_ARGUMENTS'), 2],
    [new GatewayError('REPLY_TOO_LARGE'), 1],
    [new ServerReplyError(-32000, 'the server said no'), 1],
  ])('reports %s and exits with %i', async (error, expected) => {
    const call = () => Promise.reject(error)
    const { code, err } = await run('call a:one', { call })
    expect(code).toBe(expected)
    expect(err()).toContain(error.message)
    const { json } = await run('call a:one --json', { call })
    expect(json()).toMatchObject({ error: { message: error.message } })
  })

  it('exits with 1 if the tool reports a failure, and shows other content than text by its size', async () => {
    const failed = await run('call a:one', {
      call: async () => ({ isError: true, content: [{ type: 'text', text: 'no such page' }] }),
    })
    expect([failed.code, failed.err(), failed.out()]).toEqual([1, 'no such page\n', ''])
    const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' }
    expect((await run('call a:one', { call: async () => ({ content: [image] }) })).out()).toBe(
      '[image image/png, 3 bytes; use --json to see it]\n',
    )
    expect((await run('call a:one --json', { call: async () => ({ content: [image] }) })).json()).toEqual({
      content: [image],
    })
    expect((await run('call a:one', { call: async () => ({ content: [] }) })).out()).toBe('(no content)\n')
  })

  it('H18: shows results without what a terminal obeys, and pipes them as they are', async () => {
    const text = `red \u001b[31mcolour\u001b[0m \u0007\u001b]0;title\u0007bell\u202e\n\tnext \u009b2J`
    const call = async () => ({ content: [{ type: 'text', text }] })
    expect((await run('call a:one', { call })).out()).toBe(`${text}\n`)
    expect((await run('call a:one --json', { call })).json()).toEqual({ content: [{ type: 'text', text }] })
    expect((await run('call a:one', { call, isScreen: true })).out()).toBe('red colour bell\n\tnext \n')
    const failed = async () => ({ isError: true, content: [{ type: 'text', text }] })
    expect((await run('call a:one', { call: failed, isScreen: true })).err()).toBe('red colour bell\n\tnext \n')
    const refused = () => Promise.reject(new ServerReplyError(-32000, text))
    expect((await run('call a:one', { call: refused, isScreen: true })).err()).not.toMatch(/(?!\s)[\p{Cc}\p{Cf}]/u)
  })

  it('calls through a running gateway, and reports its errors', async () => {
    const result = { content: [{ type: 'text', text: 'hi' }], structuredContent: { result: { greeting: 'hi' } } }
    const { requests } = await runningGateway({ result })
    expect((await run(['call', 'a:one', '{"x":1}', '--json'])).json()).toEqual(result)
    expect(requests[0]?.body).toMatchObject({
      params: { name: 'tool_execute', arguments: { toolKey: 'a:one', arguments: { x: 1 } } },
    })
  })

  it.each([
    [
      {
        result: {
          isError: true,
          content: [{ type: 'text', text: 'gone' }],
          _meta: { [ERROR_META_KEY]: { code: 'TOOL_NOT_FOUND' } },
        },
      },
      3,
    ],
    [{ error: { code: -31005, message: 'late', data: { code: 'SERVER_TIMEOUT' } } }, 4],
    [{ error: { code: -31012, message: 'no', data: { code: 'TOKEN_INVALID' } } }, 1],
    [{}, 1],
  ])('derives the exit code from %j', async (answer, expected) => {
    await runningGateway(answer)
    expect((await run('call a:one')).code).toBe(expected)
  })
})
