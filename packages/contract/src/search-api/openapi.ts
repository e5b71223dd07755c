import { z } from 'zod'
import { PROBLEM_TYPE, problemSchema, SEARCH_API_PROBLEMS, type SearchApiProblemCode } from './problem.ts'
import {
  catalogSearchSchema,
  catalogStateSchema,
  catalogToolSchema,
  SEARCH_API_VERSION,
  searchApiAnswerSchema,
  searchApiRequestSchema,
} from './schema.ts'

/** The paths under which a search is answered. */
export const SEARCH_PATHS = ['/catalog/search', '/v1/catalog/search'] as const

/** The media type of a catalog: a tool as JSON on each line. */
export const CATALOG_TYPE = 'application/x-ndjson'

/** The place of each schema in the document. */
const SCHEMAS = {
  SearchRequest: searchApiRequestSchema,
  SearchAnswer: searchApiAnswerSchema,
  CatalogTool: catalogToolSchema,
  CatalogState: catalogStateSchema,
  CatalogSearch: catalogSearchSchema,
  Problem: problemSchema,
}
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
      description: 'Ranks tools for a task: those in a request, or those of a catalog that was uploaded before.',
    },
    paths: Object.fromEntries([
      ...SEARCH_PATHS.map((path) => [path, { post: searchOperation(path) }]),
      ...['', '/v1'].flatMap((root) => catalogPaths(root)),
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
      200: jsonResponse('The ranking', 'SearchAnswer'),
      ...problemResponses(['CATALOG_UNKNOWN', 'CATALOG_MISMATCH']),
    },
  }
}

function catalogPaths(root: string): [string, OpenApiDocument][] {
  const version = root === '' ? '' : 'V1'
  const security = [{ bearer: [] }]
  const hash = { name: 'hash', in: 'path', required: true, schema: { type: 'string', pattern: '^[0-9a-f]{64}$' } }
  const projectId = { name: 'projectId', in: 'query', schema: { type: 'string' } }
  const state = jsonResponse('The catalog', 'CatalogState')
  const upload = {
    operationId: `uploadCatalog${version}`,
    summary: 'Upload a catalog',
    ...{ security, parameters: [hash, projectId] },
    requestBody: { required: true, content: { [CATALOG_TYPE]: { schema: reference('CatalogTool') } } },
    responses: {
      200: { ...state, description: 'The service had it already' },
      201: { ...state, description: 'The service has it now' },
      ...problemResponses(['CATALOG_UNKNOWN']),
    },
  }
  const show = {
    operationId: `showCatalog${version}`,
    summary: 'Whether the service has a catalog',
    ...{ security, parameters: [hash, projectId] },
    responses: { 200: state, ...problemResponses(['CATALOG_MISMATCH']) },
  }
  const search = {
    operationId: `searchUploaded${version}`,
    summary: 'Rank tools of an uploaded catalog',
    ...{ security, parameters: [hash] },
    requestBody: { required: true, content: { 'application/json': { schema: reference('CatalogSearch') } } },
    responses: { 200: jsonResponse('The ranking', 'SearchAnswer'), ...problemResponses(['CATALOG_MISMATCH']) },
  }
  return [
    [`${root}/catalogs/{hash}`, { put: upload, get: show }],
    [`${root}/catalogs/{hash}/search`, { post: search }],
  ]
}

function jsonResponse(description: string, schema: SchemaName): OpenApiDocument {
  return { description, content: { 'application/json': { schema: reference(schema) } } }
}

/** Those that a path can answer with. */
function problemResponses(except: readonly SearchApiProblemCode[]): OpenApiDocument {
  const content = { [PROBLEM_TYPE]: { schema: reference('Problem') } }
  const responses = new Map<number, string[]>()
  const never: readonly string[] = ['PATH_NOT_FOUND', 'METHOD_NOT_ALLOWED', ...except]
  for (const [code, { status }] of Object.entries(SEARCH_API_PROBLEMS)) {
    if (never.includes(code)) continue
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
