import { describe, expect, it } from 'vitest'
import { type Logger, openLogger, silentLogger } from './logger.ts'

const CANARY = 'canary-7421'
function written(use: (logger: Logger) => void, options: { pretty?: boolean; colours?: boolean } = {}): string {
  const lines: string[] = []
  use(openLogger({ level: 'debug', write: (line) => lines.push(line), ...options }).logger)
  return lines.join('')
}

describe('openLogger', () => {
  it('writes a line of JSON with level, time, fields and sentence', () => {
    const line = written((logger) => logger.child({ server: 'a' }).warn({ attempt: 2 }, 'restarting'))
    expect(JSON.parse(line)).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-/),
      server: 'a',
      attempt: 2,
      msg: 'restarting',
    })
  })

  it.each([
    ...['authorization', 'Authorization', 'token', 'accessToken', 'access_token', 'env', 'headers', 'set-cookie'],
    ...['arguments', 'args', 'params', 'result', 'content', 'structuredContent', 'password', '_meta'],
  ])('[R42] hides what is in %s, at any depth', (key) => {
    for (const pretty of [false, true]) {
      const text = written(
        (logger) => {
          logger.info({ [key]: CANARY }, 'flat')
          logger.info({ request: { deep: [{ [key]: { inner: CANARY } }] } }, 'deep')
        },
        { pretty },
      )
      expect(text).not.toContain(CANARY)
      expect(text).toContain('[hidden]')
    }
  })

  it('H21: masks tokens of every kind that got into a sentence, a field or an error', () => {
    const secret = 'AbCdEfGhIjKlMnOp'
    const text = written((logger) => {
      logger.info({ url: `http://h/?x=${secret}`, place: `postgres://u:${secret}@h/d` }, `got tdx_${secret}`)
      logger.info({ token_: `tdxa_${secret}` }, `got tdxa_${secret}`)
      logger.error({ err: new Error(`Bearer ${CANARY}`) }, 'failed')
    })
    expect(text).not.toContain(secret)
    expect(text).not.toContain(CANARY)
    for (const line of text.trim().split('\n')) expect(() => JSON.parse(line) as unknown).not.toThrow()
  })

  it('keeps the message of an error', () => {
    expect(
      JSON.parse(written((logger) => logger.error({ err: new TypeError('no such thing') }, 'failed'))),
    ).toMatchObject({
      err: { type: 'TypeError', message: 'no such thing', stack: expect.stringContaining('logger.test') },
    })
  })

  it('writes one line for any text of a server, without terminal sequences', () => {
    const nasty = 'a\n{"level":"error"}\u001b[2J\u0007'
    expect(
      written((logger) => logger.info({ line: nasty }, nasty))
        .trimEnd()
        .split('\n'),
    ).toHaveLength(1)
    const pretty = written((logger) => logger.info({ line: nasty }, 'said'), { pretty: true })
    for (const sign of ['\u001b', '\u0007']) expect(pretty).not.toContain(sign)
  })

  it('has colours only where they are wanted', () => {
    const log = (logger: Logger) => logger.info({ a: 1 }, 'hello')
    expect(written(log, { pretty: true })).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info {2}hello {2}a=1\n$/)
    expect(written(log, { pretty: true, colours: true })).toContain('\u001b[')
  })

  it('survives fields that cannot be written', () => {
    const circular: Record<string, unknown> = { name: 'x' }
    circular['self'] = circular
    expect(written((logger) => logger.info({ circular, big: new Map([[1, 2]]) }, 'unusual'))).toContain('[1 entries]')
  })

  it('knows which levels are written', () => {
    expect(silentLogger().isLevelEnabled('error')).toBe(false)
  })
})
