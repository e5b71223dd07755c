// The parts of server.json, the entry format of the official MCP registry, that say how a server is run. Every text in it is
// untrusted.
import { cleanText, hasInvisible } from '@tooldex/http-kit/clean-text'
import { z } from 'zod'

const MOST_ITEMS = 64

/** A text that is only shown. */
const shown = (length: number) => z.string().transform((text) => cleanText(text, length))
/** A text that becomes part of a command, an address or a header. It is taken as it is, or refused. */
const exact = z
  .string()
  .max(4_096)
  .refine((text) => !hasInvisible(text), 'has invisible characters')

const inputFields = {
  description: shown(300).optional(),
  isRequired: z.boolean().default(false),
  isSecret: z.boolean().default(false),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).catch('string').default('string'),
  value: exact.optional(),
  default: exact.optional(),
  placeholder: shown(200).optional(),
  choices: z.array(exact).max(MOST_ITEMS).optional(),
}
const plainInput = z.object(inputFields)
const variables = z.record(z.string(), plainInput).default({})
const namedInput = z.object({ ...inputFields, name: exact, variables })

const argument = z.object({
  ...inputFields,
  type: z.enum(['positional', 'named']),
  name: exact.optional(),
  valueHint: exact.optional(),
  isRepeated: z.boolean().default(false),
  variables,
})
const list = <Item extends z.ZodType>(item: Item) => z.array(item).max(MOST_ITEMS).default([])

/** A package that starts the server. */
export const packageSchema = z.object({
  registryType: exact,
  registryBaseUrl: exact.optional(),
  identifier: exact,
  version: exact.optional(),
  runtimeHint: exact.optional(),
  transport: z.object({ type: exact }).default({ type: 'stdio' }),
  runtimeArguments: list(argument),
  packageArguments: list(argument),
  environmentVariables: list(namedInput),
})

/** An address where the server runs. */
export const remoteSchema = z.object({
  type: z.enum(['streamable-http', 'sse']),
  url: exact,
  headers: list(namedInput),
  variables,
})

/** An entry without its packages and addresses, which are read one by one. */
export const entrySchema = z.object({
  name: z.string().regex(/^[A-Za-z0-9.-]{1,120}\/[A-Za-z0-9._-]{1,80}$/),
  title: shown(100).optional(),
  description: shown(300).default(''),
  version: z.string().regex(/^[\w.+:~-]{1,100}$/),
  repository: z
    .object({ url: z.string().max(500) })
    .optional()
    .catch(undefined),
  websiteUrl: z.string().max(500).optional().catch(undefined),
  packages: z.array(z.unknown()).default([]),
  remotes: z.array(z.unknown()).default([]),
})

/** The registry's own notes about an entry. */
export const officialSchema = z
  .object({
    status: z.enum(['active', 'deprecated', 'deleted']).catch('active').default('active'),
    statusMessage: shown(300).optional(),
    publishedAt: z.string().max(40).optional(),
    isLatest: z.boolean().optional(),
  })
  .catch({ status: 'active' })

/** A value of server.json that a user may give. */
export type JsonInput = z.output<typeof plainInput>
/** A header or an environment variable. */
export type JsonNamedInput = z.output<typeof namedInput>
/** An argument of a command line. */
export type JsonArgument = z.output<typeof argument>
/** A package that starts the server. */
export type JsonPackage = z.output<typeof packageSchema>
/** An address where the server runs. */
export type JsonRemote = z.output<typeof remoteSchema>
