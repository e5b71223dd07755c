import { describe, expect, it } from 'vitest'
import { checkConfig } from './check-config.ts'
import { configurationPage } from './configuration-page.case.ts'

describe('docs/reference/configuration.md', () => {
  it('matches the schema', async () => {
    await expect(configurationPage()).toMatchFileSnapshot('../../../docs/reference/configuration.md')
  })

  it('has an example that is valid', () => {
    const example = /```jsonc\n([\s\S]*?)```/.exec(configurationPage())?.[1] ?? ''
    expect(checkConfig(JSON.parse(example)).problems).toEqual([])
  })
})
