import { Validator } from '@cfworker/json-schema'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { adminApiPage } from './admin-api-page.case.ts'
import { OPENAPI_SHAPE } from './openapi-shape.case.ts'
import { adminOpenApi } from './openapi.ts'
import { type AdminRoute, patchOf } from './parts.ts'
import { adminRoutes } from './routes.ts'

const routes = Object.entries(adminRoutes) as [string, AdminRoute][]

describe('the routes', () => {
  it('differ in method or path', () => {
    const places = routes.map(([, { method, path }]) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`)
    expect(new Set(places).size).toBe(places.length)
  })

  it.each(routes)('%s declares the parameters of its path, and only those', (_, { path, params }) => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect(Object.keys(params?.shape ?? {})).toEqual(named)
  })

  it.each(routes)('%s ends its summary like a sentence', (_, { summary }) => {
    expect(summary).toMatch(/^[A-Z].*\.$/)
  })
})

describe('docs/reference/admin-api.md', () => {
  it('matches the routes', async () => {
    await expect(adminApiPage()).toMatchFileSnapshot('../../../../docs/reference/admin-api.md')
  })
})

describe('the OpenAPI document', () => {
  const document = adminOpenApi('1.2.3')

  it('has the structure of OpenAPI 3.1', () => {
    const { errors } = new Validator(OPENAPI_SHAPE, '2020-12', false).validate(document)
    expect(errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`)).toEqual([])
  })

  it('has every route once, under its own name', () => {
    const paths = document['paths'] as Record<string, Record<string, { operationId: string }>>
    const ids = Object.values(paths).flatMap((operations) => Object.values(operations).map((each) => each.operationId))
    expect(ids.toSorted()).toEqual(Object.keys(adminRoutes).toSorted())
  })

  it('has no dangling references, and is JSON', () => {
    const text = JSON.stringify(document)
    expect(JSON.parse(text)).toEqual(document)
    for (const [, reference] of text.matchAll(/"\$ref":"#([^"]+)"/g)) {
      const steps = (reference ?? '').split('/').slice(1)
      const target = steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document)
      expect(target, reference).toBeDefined()
    }
  })
})

describe('patchOf', () => {
  const patch = patchOf({ a: z.string().default('x'), b: z.strictObject({ c: z.int() }).optional(), d: z.null() })

  it('adds no keys that were not sent', () => {
    expect(patch.parse({})).toEqual({})
    expect(patch.parse({ d: null, unset: ['b'] })).toEqual({ d: null, unset: ['b'] })
  })

  it('refuses unknown keys', () => {
    expect(patch.safeParse({ e: 1 }).success).toBe(false)
    expect(patch.safeParse({ unset: ['e'] }).success).toBe(false)
  })
})
