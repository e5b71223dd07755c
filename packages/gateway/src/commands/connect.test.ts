import { describe, expect, it } from 'vitest'
import { useCommands } from './use-commands.case.ts'

const { configure, run } = useCommands()

describe('tooldex connect', () => {
  it('[M12] shows the clients and the model APIs for an endpoint, without a secret', async () => {
    const { code, out } = await run('connect')
    expect(code).toBe(0)
    expect(out()).toContain('claude mcp add --transport http tooldex http://127.0.0.1:7420/mcp')
    expect(out()).toContain('Anthropic Messages API')
    expect(out()).toContain('OpenAI Responses API')
    expect(out()).not.toContain('tdx_')
  })

  it('[M12] gives the snippets of the endpoint as JSON', async () => {
    expect((await run('connect --json')).json()).toMatchObject({
      endpoint: 'default',
      url: 'http://127.0.0.1:7420/mcp',
      anthropic: { at: 'http://127.0.0.1:7420/mcp' },
      openai: { at: 'http://127.0.0.1:7420/mcp' },
    })
  })

  it.each([
    [{ host: '0.0.0.0' }, 'http://127.0.0.1:7420/mcp'],
    [{ host: '0.0.0.0', allowedHosts: ['tools.internal'] }, 'http://tools.internal:7420/mcp'],
    [{ publicUrl: 'https://tools.example.org' }, 'https://tools.example.org/mcp'],
  ])('shows an address that clients can use: %j', async (listen, url) => {
    configure({ listen, dataDir: 'data' })
    expect((await run('connect --json')).json()).toMatchObject({ url, openai: { at: url } })
  })

  it('lists the existing endpoints when another one is requested', async () => {
    const { code, err } = await run('connect --endpoint nowhere')
    expect(code).toBe(3)
    expect(err()).toContain('default')
  })
})
