// The part of the OpenAPI 3.1 specification that the documents use, as a JSON Schema.
import type { Schema } from '@cfworker/json-schema'

const schemaObject: Schema = { anyOf: [{ type: 'object' }, { type: 'boolean' }] }
const content: Schema = {
  type: 'object',
  minProperties: 1,
  propertyNames: { pattern: '^[a-z]+/[a-z+.-]+$' },
  additionalProperties: {
    type: 'object',
    required: ['schema'],
    properties: { schema: schemaObject },
    additionalProperties: false,
  },
}
const response: Schema = {
  oneOf: [
    { type: 'object', required: ['$ref'], properties: { $ref: { type: 'string' } }, additionalProperties: false },
    {
      type: 'object',
      required: ['description'],
      properties: { description: { type: 'string', minLength: 1 }, content },
      additionalProperties: false,
    },
  ],
}
const parameter: Schema = {
  type: 'object',
  required: ['name', 'in', 'schema'],
  properties: {
    name: { type: 'string', minLength: 1 },
    in: { enum: ['path', 'query', 'header', 'cookie'] },
    required: { type: 'boolean' },
    description: { type: 'string' },
    schema: schemaObject,
  },
  additionalProperties: false,
  anyOf: [
    { properties: { in: { enum: ['query', 'header', 'cookie'] } } },
    { properties: { required: { const: true } }, required: ['required'] },
  ],
}
const operation: Schema = {
  type: 'object',
  required: ['operationId', 'responses'],
  properties: {
    operationId: { type: 'string', pattern: '^[a-z][A-Za-z]+$' },
    tags: { type: 'array', items: { type: 'string' } },
    summary: { type: 'string', minLength: 1 },
    description: { type: 'string' },
    security: { type: 'array', items: { type: 'object' } },
    'x-tooldex-role': { enum: ['reader', 'operator', 'administrator'] },
    parameters: { type: 'array', items: parameter },
    requestBody: {
      type: 'object',
      required: ['content'],
      properties: { required: { type: 'boolean' }, content },
      additionalProperties: false,
    },
    responses: {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^([1-5][0-9]{2}|default)$' },
      additionalProperties: response,
    },
  },
  additionalProperties: false,
}

/** The JSON Schema of the document. */
export const OPENAPI_SHAPE: Schema = {
  type: 'object',
  required: ['openapi', 'info', 'paths'],
  properties: {
    openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
    info: {
      type: 'object',
      required: ['title', 'version'],
      properties: {
        title: { type: 'string' },
        version: { type: 'string' },
        license: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' }, identifier: { type: 'string' } },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    },
    servers: { type: 'array', items: { type: 'object', required: ['url'] } },
    security: { type: 'array', items: { type: 'object', additionalProperties: { type: 'array' } } },
    tags: { type: 'array', items: { type: 'object', required: ['name'] } },
    paths: {
      type: 'object',
      propertyNames: { pattern: '^/' },
      additionalProperties: {
        type: 'object',
        propertyNames: { enum: ['get', 'put', 'post', 'patch', 'delete'] },
        additionalProperties: operation,
      },
    },
    components: {
      type: 'object',
      properties: {
        schemas: { type: 'object', additionalProperties: schemaObject },
        responses: { type: 'object', additionalProperties: response },
        securitySchemes: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            required: ['type'],
            properties: { type: { enum: ['http', 'apiKey'] } },
          },
        },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
}
