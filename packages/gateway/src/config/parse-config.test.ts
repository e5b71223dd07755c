import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { GatewayError } from '../errors.ts'
import { parseConfig } from './parse-config.ts'

function problems(text: string, variables: Record<string, string> = {}): readonly string[] {
  try {
    parseConfig(text, '/etc/tooldex.json', { variables })
    return []
  } catch (error) {
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', details: { file: '/etc/tooldex.json' } })
    return (error as GatewayError).details['problems'] as readonly string[]
  }
}

describe('parseConfig', () => {
  it('reads comments, trailing commas and a byte order mark', () => {
    const text = '\uFEFF{\n  // mine\n  "mcpServers": { "a": { "command": "x", }, }, /* end */\n}'
    expect(parseConfig(text, 't.json', { variables: {} }).mcpServers?.['a']?.command).toBe('x')
  })

  it('reports every problem with file, line and column, in order', () => {
    const text = `{
  "mcpServers": {
    "github": { "comand": "x" },
    "files": { "url": "\${FILES_URL}" }
  },
  "logLevel": "loud"
}`
    expect(problems(text)).toEqual([
      'tooldex.json:3:17 mcpServers.github.comand: unknown key; did you mean command?',
      'tooldex.json:4:23 mcpServers.files.url: the environment variable FILES_URL is not set; set it or write ${FILES_URL:-default}',
      'tooldex.json:6:15 logLevel: must be one of debug, info, warn, error, silent',
    ])
  })

  it('reports the location of a syntax error', () => {
    expect(problems('{\n  "mcpServers": {\n    "a" "b"\n  }\n}')).toEqual(
      expect.arrayContaining(['tooldex.json:3:9 not valid JSON: colon expected']),
    )
    expect(problems('')).toEqual(['tooldex.json:1:1 not valid JSON: value expected'])
  })

  it('refuses duplicate keys and `__proto__`', () => {
    const text = '{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"},"__proto__":{"command":"z"}}}'
    expect(problems(text)).toEqual([
      'tooldex.json:1:36 mcpServers.a: is given twice',
      'tooldex.json:1:56 mcpServers.__proto__: this name cannot be used',
    ])
    expect(({} as Record<string, unknown>)['command']).toBeUndefined()
  })

  it('does not reveal substituted secrets', () => {
    const text = '{"tokens":[{"name":"a","value":"${T}"}]}'
    expect(problems(text, { T: 'tooshort' }).join()).not.toContain('tooshort')
  })

  it('handles any text and any truncated file', () => {
    fc.assert(fc.property(fc.string(), (text) => void problems(text)))
    const whole = '{"mcpServers":{"a":{"command":"x","env":{"K":"${V:-1}"}}},"tokens":[],"listen":{"port":1}}'
    for (let length = 0; length < whole.length; length++) {
      expect(problems(whole.slice(0, length)), `cut at ${length}`).not.toEqual([])
    }
    expect(problems(whole)).toEqual([])
    expect(problems('['.repeat(200_000))).not.toEqual([])
  })
})
