import { z } from 'zod'
import { PROBLEM_TYPE, problemSchema, SEARCH_API_PROBLEMS } from './problem.ts'
import { SEARCH_API_VERSION, searchApiAnswerSchema, searchApiRequestSchema } from './schema.ts'

/** The paths under which a search is answered. */
export const SEARCH_PATHS = ['/catalog/search', '/v1/catalog/search'] as const

/** The place of each schema in the document. */
const SCHEMAS = { SearchRequest: searchApiRequestSchema, SearchAnswer: searchApiAnswerSchema, Problem: problemSchema }
type SchemaName = keyof typeof SCHEMAS

/** An OpenAPI 3.1 document as JSON. */
export type OpenApiDocument = Readonly<Record<string, unknown>>

/** The OpenAPI 3.1 document of the Search API, made from its schemas. */
export function searchApiDocument(): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tooldex Search API',
      version: `${SEARCH_API_VERSION}.0.0`,
      description: 'Ranks the tools in a request for a task. Keeps no catalog.',
    },
    paths: Object.fromEntries([
      ...SEARCH_PATHS.map((path) => [path, { post: searchOperation(path) }]),
      ...PLAIN_PAGES.map(([path, summary, type]) => [path, { get: pageOperation(path, summary, type) }]),
    ]),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [name, jsonSchemaOf(schema)])),
    },
  }
}

const PLAIN_PAGES = [
  ['/openapi.json', 'This document', 'application/json'],
  ['/healthz', 'Whether the process answers', 'application/json'],
  ['/readyz', 'Whether to send requests here', 'application/json'],
  ['/metrics', 'Metrics in the text format of Prometheus', 'text/plain'],
] as const

function searchOperation(path: string): OpenApiDocument {
  return {
    operationId: path.startsWith('/v1') ? 'searchCatalogV1' : 'searchCatalog',
    summary: 'Rank tools',
    security: [{ bearer: [] }],
    requestBody: { required: true, content: { 'application/json': { schema: reference('SearchRequest') } } },
    responses: {
      200: { description: 'The ranking', content: { 'application/json': { schema: reference('SearchAnswer') } } },
      ...problemResponses(),
    },
  }
}

function problemResponses(): OpenApiDocument {
  const content = { [PROBLEM_TYPE]: { schema: reference('Problem') } }
  const responses = new Map<number, string[]>()
  for (const [code, { status }] of Object.entries(SEARCH_API_PROBLEMS)) {
    if (status === 404 || status === 405) continue
    responses.set(status, [...(responses.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...responses].map(([status, codes]) => [status, { description: codes.join(', '), content }]),
  )
}

function pageOperation(path: string, summary: string, type: string): OpenApiDocument {
  const schema = type === 'text/plain' ? { type: 'string' } : { type: 'object' }
  const operationId = path.slice(1).replace(/\W.*$/, '')
  return { operationId, summary, responses: { 200: { description: summary, content: { [type]: { schema } } } } }
}

function reference(name: SchemaName): OpenApiDocument {
  return { $ref: `#/components/schemas/${name}` }
}

function jsonSchemaOf(schema: z.ZodType): OpenApiDocument {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' })
  return rest
}
