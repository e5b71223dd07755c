import { describe, expect, it } from 'vitest'
import { childEnvironment } from './child-environment.ts'

describe('childEnvironment', () => {
  it('passes on what every program needs and what is declared, and nothing else', () => {
    const ours = {
      PATH: '/bin',
      HOME: '/h',
      LC_TIME: 'C',
      DATABASE_URL: 'postgres://secret',
      NODE_OPTIONS: '--inspect',
      LD_PRELOAD: 'x.so',
      TOOLDEX_KEY: 'k',
      path: '/other',
    }
    expect(childEnvironment(ours, { API_KEY: 'declared', PATH: '/mine' }, 'linux')).toEqual({
      PATH: '/mine',
      HOME: '/h',
      LC_TIME: 'C',
      API_KEY: 'declared',
    })
  })

  it('does not mind the case of names on Windows', () => {
    expect(childEnvironment({ Path: 'C:', SystemRoot: 'C:', SECRET: 's' }, {}, 'win32')).toEqual({
      Path: 'C:',
      SystemRoot: 'C:',
    })
  })

  it('passes on no variable that a shell would run', () => {
    expect(childEnvironment({ TERM: '() { :; }; echo' }, {}, 'linux')).toEqual({})
  })
})
