// Pieces that several nouns share.
import { z } from 'zod'
import { disclosureFields } from '../disclosure-config.ts'

/** One operation of the admin API, as data: the server, the OpenAPI document, the docs and clients are made from it. */
export interface AdminRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Below `/api/v1`; parameters in braces. */
  readonly path: `/${string}`
  readonly summary: string
  /** Which nouns it belongs to, for docs. */
  readonly tag: string
  /** `open` needs no admin token: it proves who asks by itself. */
  readonly access?: 'open'
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** By status. An answer without a body has `null`; one that is no JSON the media types that it may have. */
  readonly responses: Readonly<Record<number, z.ZodType | null | readonly string[]>>
  /** Media types that the answer may have instead, if `Accept` asks for them. */
  readonly alsoProduces?: readonly string[]
  /** Heeds `If-Match`: the change happens only if nobody else made one meanwhile (412). */
  readonly heedsRevision?: true
  /** Codes of problems that are particular to this route. */
  readonly problems?: readonly string[]
  /** Largest body in bytes, where it is not 4 MB. */
  readonly maxBodyBytes?: number
}

/** A failure, as `application/problem+json` (RFC 9457). Match on `code`. */
export const problemSchema = z.strictObject({
  type: z.string().describe('An address that stands for the code; `docs/reference/gateway-errors.md` explains each.'),
  title: z.string().describe('The code in words; the same for every failure with this code.'),
  status: z.int(),
  code: z.string().describe('What to match on: `FILE_MANAGED`, `NAME_TAKEN` …'),
  detail: z.string().describe('What failed, why, and what to do.'),
  remedy: z.string().optional(),
  problems: z
    .array(z.strictObject({ path: z.string().describe('Where in the request: `servers[0]`.'), message: z.string() }))
    .optional()
    .describe('Everything that is wrong with the request, all at once; also of a refusal that is about one field.'),
  details: z.record(z.string(), z.unknown()).optional().describe('Facts for programs; depends on the code.'),
})

/** A failure of the admin API. */
export type Problem = z.output<typeof problemSchema>

/** Milliseconds since 1970. */
export const moment = z.int().describe('Milliseconds since 1970.')

/** Who decides about an entry. What a file declares is changed in the file; what is built in can be changed. */
export const managedBy = z
  .enum(['store', 'file', 'built-in'])
  .describe('`file` entries are changed in the configuration file only; `built-in` ones exist until they are changed.')

/** What every entry says of itself. */
export const entryFields = {
  managedBy,
  file: z.string().optional().describe('The file that declares it.'),
  revision: z.string().optional().describe('Of this entry; also its `ETag`. Send it as `If-Match` with a change.'),
  createdAt: moment.optional(),
  updatedAt: moment.optional(),
}

/** The change to be made of an object: what is given replaces, what is absent stays, `unset` removes. */
export function patchOf<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Patch<Shape>> {
  const entries = Object.entries(shape).map(([key, field]) => [key, withoutDefault(field as z.ZodType).optional()])
  const unset = z.array(z.enum(Object.keys(shape) as [string, ...string[]])).optional()
  return z.strictObject({
    ...(Object.fromEntries(entries) as object),
    unset: unset.describe('Keys to remove, so that they are inherited or have their default again.'),
  }) as unknown as z.ZodObject<Patch<Shape>>
}

type Patch<Shape extends z.ZodRawShape> = { [Key in keyof Shape]: z.ZodOptional<Shape[Key]> } & {
  unset: z.ZodOptional<z.ZodArray<z.ZodString>>
}

/** A default would overwrite what is there. */
function withoutDefault(field: z.ZodType): z.ZodType {
  if (field instanceof z.ZodOptional || field instanceof z.ZodDefault || field instanceof z.ZodPrefault) {
    const { description } = field
    const inner = withoutDefault(field.unwrap() as z.ZodType)
    return description === undefined ? inner : inner.describe(description)
  }
  return field
}

/** What a removal did. */
export const removalSchema = z.strictObject({
  removed: z.string().describe('The id.'),
  alsoRemoved: z.array(z.string()).describe('What could not exist without it, such as `endpoint work`.'),
  narrowed: z.array(z.string()).describe('What named it and now does not, such as `token laptop`.'),
})

/** True and false as they stand in a URL. */
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true')

/** A count in a URL. */
export const count = (most: number, fallback: number) => z.coerce.number().int().min(1).max(most).default(fallback)

/** Browsers and servers take dots alone in a path for a way up; the other is no key that an object can have. */
const NOT_ADDRESSABLE: ReadonlySet<string> = new Set(['.', '..', '__proto__'])

/** An id that can stand in a URL and in an object. */
export const addressable = (id: z.ZodString) =>
  id.refine((text) => !NOT_ADDRESSABLE.has(text), {
    error: 'must be another one: this means something else in addresses',
  })

type Fields = typeof disclosureFields
type Value<Field> = Field extends z.ZodOptional<infer Inner extends z.ZodType> ? Inner : Field
type Effective = {
  [Key in keyof Fields]: z.ZodObject<{ value: Value<Fields[Key]>; from: z.ZodEnum<typeof ORIGINS> }, z.core.$strict>
}

const ORIGINS = { endpoint: 'endpoint', project: 'project', default: 'default' } as const

/** Every setting as it holds, and who says so. The seed's names are translated: there is one name per setting here. */
export const effectiveSettings = z.strictObject(
  Object.fromEntries(
    Object.entries(disclosureFields).map(([key, field]) => [
      key,
      z.strictObject({ value: field.unwrap(), from: z.enum(ORIGINS) }),
    ]),
  ) as unknown as Effective,
)

/** Settings that hold, each with its origin. */
export type EffectiveSettings = z.output<typeof effectiveSettings>
