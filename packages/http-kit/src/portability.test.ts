import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it.each(['breaker', 'clean-text', 'json', 'post'])('%s imports nothing, so that it runs without Node', (name) => {
  const source = readFileSync(new URL(`./${name}.ts`, import.meta.url), 'utf8')
  expect(source).not.toMatch(/^\s*(?:import|export) .*from |import\(/m)
})
