import { describe, expect, it } from 'vitest'
import { configJsonSchema, type ConfigJsonSchema } from './json-schema.ts'

describe('configJsonSchema', () => {
  it('explains every key', () => {
    const silent: string[] = []
    const look = (schema: ConfigJsonSchema, place: string): void => {
      for (const [key, child] of Object.entries(schema.properties ?? {})) {
        if (child.description === undefined) silent.push(`${place}${key}`)
        look(child, `${place}${key}.`)
      }
      if (typeof schema.additionalProperties === 'object') look(schema.additionalProperties, `${place}*.`)
      if (schema.items !== undefined) look(schema.items, `${place}[].`)
    }
    look(configJsonSchema(), '')
    expect(silent).toEqual([])
  })

  it('requires nothing that has a default', () => {
    expect(configJsonSchema().required).toBeUndefined()
  })
})
