import { describe, expect, it } from 'vitest'
import { tracingConfig } from './load-config.ts'

const NONE = { otlpHeaders: {} }
const FILE = { otlpEndpoint: 'https://file.example/', otlpHeaders: { key: 'of the file' } }
const ENVIRONMENT = {
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://env.example:4318',
  OTEL_EXPORTER_OTLP_HEADERS: 'key=of%20the%20environment, other = a=b ,,broken',
}

describe('tracingConfig', () => {
  it('is undefined by default', () => {
    expect(tracingConfig(NONE, { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' })).toBeUndefined()
  })

  it('reads the standard variables', () => {
    const fromBase = tracingConfig(NONE, { ...ENVIRONMENT, OTEL_SERVICE_NAME: 'mine' })
    expect(fromBase).toEqual({
      url: 'http://env.example:4318/v1/traces',
      headers: { key: 'of the environment', other: 'a=b' },
      serviceName: 'mine',
    })
    const ofTraces = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://env.example/here',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'k=%zz',
    }
    expect(tracingConfig(NONE, { ...ENVIRONMENT, ...ofTraces })).toEqual({
      url: 'http://env.example/here',
      headers: { k: '%zz' },
      serviceName: 'tooldex',
    })
  })

  it('prefers the file, without headers of the environment', () => {
    expect(tracingConfig(FILE, ENVIRONMENT)).toEqual({
      url: 'https://file.example/v1/traces',
      headers: { key: 'of the file' },
      serviceName: 'tooldex',
    })
    const whole = { otlpEndpoint: 'https://file.example/v1/traces', otlpHeaders: {} }
    expect(tracingConfig(whole, ENVIRONMENT)).toMatchObject({ url: 'https://file.example/v1/traces', headers: {} })
  })

  it.each([{ OTEL_SDK_DISABLED: 'True' }, { OTEL_TRACES_EXPORTER: 'none' }])('is undefined with %o', (off) => {
    expect(tracingConfig(FILE, { ...ENVIRONMENT, ...off })).toBeUndefined()
  })
})
