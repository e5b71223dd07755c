import { z } from 'zod'
import { ADMIN_BASE, PAGE_HEADER } from './names.ts'
import { type AdminRoute, problemSchema } from './parts.ts'
import { roleNeeded } from './roles.ts'
import { type AdminRouteId, adminRoutes } from './routes.ts'

type Json = Readonly<Record<string, unknown>>

const PROBLEM = { $ref: '#/components/responses/Problem' }

/** The admin API as an OpenAPI 3.1 document, made from the routes. */
export function adminOpenApi(version: string): Json {
  const routes = Object.entries(adminRoutes) as [AdminRouteId, AdminRoute][]
  const paths = new Map<string, Record<string, Json>>()
  for (const [id, route] of routes) {
    const operations = paths.get(route.path) ?? {}
    operations[route.method.toLowerCase()] = operationOf(id, route)
    paths.set(route.path, operations)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tooldex admin API', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: ADMIN_BASE }],
    security: [{ adminToken: [] }, { session: [], page: [] }],
    tags: [...new Set(routes.map(([, { tag }]) => tag))].map((name) => ({ name })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        adminToken: { type: 'http', scheme: 'bearer', description: 'An admin token, `tdxa_…`.' },
        session: { type: 'apiKey', in: 'cookie', name: 'tooldex_session', description: 'Set by `POST /session`.' },
        page: { type: 'apiKey', in: 'header', name: PAGE_HEADER, description: 'The `pageSecret` of `POST /session`.' },
      },
      schemas: { Problem: schemaOf(problemSchema, 'output') },
      responses: {
        Problem: {
          description: 'The failure, its reason and a remedy.',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    },
  }
}

function operationOf(id: AdminRouteId, route: AdminRoute): Json {
  const parameters = [
    ...parametersOf(route.params, 'path'),
    ...parametersOf(route.query, 'query'),
    ...(route.heedsRevision === true ? [IF_MATCH] : []),
  ]
  const codes = route.problems === undefined ? '' : `Problems of its own: ${route.problems.join(', ')}.`
  return {
    operationId: id,
    tags: [route.tag],
    summary: route.summary,
    ...(codes !== '' && { description: codes }),
    ...(route.access === 'open' ? { security: [] } : { 'x-tooldex-role': roleNeeded(id) }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(route.body, 'input') } } },
    }),
    responses: { ...responsesOf(route), default: PROBLEM },
  }
}

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The `revision` that the change is based on; 412 if the current one differs.',
  schema: { type: 'string' },
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query'): Json[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, Json>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: property,
  }))
}

function responsesOf({ responses, alsoProduces = [] }: AdminRoute): Json {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const description = status === '201' ? 'Created.' : status === '204' ? 'Done.' : 'The answer.'
      if (response === null) return [status, { description }]
      const asText = [...(isMediaTypes(response) ? response : []), ...alsoProduces]
      const content = {
        ...(!isMediaTypes(response) && { 'application/json': { schema: schemaOf(response, 'output') } }),
        ...Object.fromEntries(asText.map((type) => [type, { schema: { type: 'string' } }])),
      }
      return [status, { description, content }]
    }),
  )
}

/** Whether a response is not JSON. */
export function isMediaTypes(response: z.ZodType | null | readonly string[]): response is readonly string[] {
  return Array.isArray(response)
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
  return rest
}
