import { describe, expect, it } from 'vitest'
import { environmentPage } from './environment-page.case.ts'
import { configJsonSchema } from './json-schema.ts'
import { PROGRAM_VARIABLES, settingVariables } from './setting-variables.ts'

describe('settingVariables', () => {
  const variables = settingVariables()
  const names = variables.map(({ name }) => name)

  it('has a variable for each setting, by its path', () => {
    const byName = new Map(variables.map((variable) => [variable.name, variable]))
    expect(byName.get('TOOLDEX_LISTEN_LIMITS_MAX_BODY_BYTES')).toMatchObject({ form: 'number' })
    expect(byName.get('TOOLDEX_AUTH_JWKS_URI')?.path).toEqual(['auth', 'jwksUri'])
    expect(byName.get('TOOLDEX_AUTH_AUDIENCE')?.form).toBe('list')
    expect(byName.get('TOOLDEX_LISTEN_TRUSTED_PROXIES')?.form).toBe('list')
    expect(byName.get('TOOLDEX_LEARNING')?.form).toBe('true or false')
    expect(byName.get('TOOLDEX_MCP_SERVERS')?.form).toBe('JSON')
    const top = new Set(variables.map(({ path }) => path[0]))
    const others = ['$schema', 'servers', 'middleware']
    expect([...top, ...others].toSorted()).toEqual(Object.keys(configJsonSchema().properties ?? {}).toSorted())
  })

  it('has no name twice, also not where a file is named', () => {
    const all = [...names, ...PROGRAM_VARIABLES.keys()]
    expect(new Set(all).size).toBe(all.length)
    for (const name of all) expect(all).not.toContain(`${name}_FILE`)
  })
})

describe('docs/reference/environment.md', () => {
  it('matches the schema', async () => {
    await expect(environmentPage()).toMatchFileSnapshot('../../../docs/reference/environment.md')
  })
})
