// Types and schemas that several routes share.
import { z } from 'zod'
import { disclosureFields } from '../disclosure-config.ts'

/** One operation of the admin API, as data for the server, the OpenAPI document, the docs and clients. */
export interface AdminRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Below `/api/v1`; parameters in braces. */
  readonly path: `/${string}`
  readonly summary: string
  /** Its section in the docs. */
  readonly tag: string
  /** `open` needs no admin token: the route authenticates by itself. */
  readonly access?: 'open'
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** By status. `null` = no body; for responses that are not JSON, their media types. */
  readonly responses: Readonly<Record<number, z.ZodType | null | readonly string[]>>
  /** Media types that the response may have instead, if `Accept` asks for them. */
  readonly alsoProduces?: readonly string[]
  /** Checks `If-Match`: the change is refused with 412 if the entry has changed since. */
  readonly heedsRevision?: true
  /** Codes of problems that are particular to this route. */
  readonly problems?: readonly string[]
  /** Largest body in bytes. Default 4 MB. */
  readonly maxBodyBytes?: number
}

/** A failure, as `application/problem+json` (RFC 9457). Match on `code`. */
export const problemSchema = z.strictObject({
  type: z.string().describe('A URI for the code; `docs/reference/gateway-errors.md` explains each.'),
  title: z.string().describe('The code in words; the same for every failure with this code.'),
  status: z.int(),
  code: z.string().describe('For programs: `FILE_MANAGED`, `NAME_TAKEN` …'),
  detail: z.string().describe('The failure, its reason and a remedy.'),
  remedy: z.string().optional(),
  problems: z
    .array(z.strictObject({ path: z.string().describe('Where in the request: `servers[0]`.'), message: z.string() }))
    .optional()
    .describe('All problems of the request at once; also for refusals that concern one field.'),
  details: z.record(z.string(), z.unknown()).optional().describe('Facts for programs; depends on the code.'),
})

/** A failure of the admin API. */
export type Problem = z.output<typeof problemSchema>

/** Milliseconds since 1970. */
export const moment = z.int().describe('Milliseconds since 1970.')

/** Where an entry is managed. */
export const managedBy = z
  .enum(['store', 'file', 'built-in'])
  .describe('`file` entries are changed in the configuration file only; `built-in` ones exist until they are changed.')

/** The fields of every entry. */
export const entryFields = {
  managedBy,
  file: z.string().optional().describe('The file that declares it.'),
  revision: z.string().optional().describe('Of this entry; also its `ETag`. Send it as `If-Match` with a change.'),
  createdAt: moment.optional(),
  updatedAt: moment.optional(),
}

/** The patch of an object: given keys are replaced, absent keys stay, `unset` removes. */
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

/** A default would overwrite the stored value. */
function withoutDefault(field: z.ZodType): z.ZodType {
  if (field instanceof z.ZodOptional || field instanceof z.ZodDefault || field instanceof z.ZodPrefault) {
    const { description } = field
    const inner = withoutDefault(field.unwrap() as z.ZodType)
    return description === undefined ? inner : inner.describe(description)
  }
  return field
}

/** The effect of a removal. */
export const removalSchema = z.strictObject({
  removed: z.string().describe('The id.'),
  alsoRemoved: z.array(z.string()).describe('Entries that cannot exist without it, such as `endpoint work`.'),
  narrowed: z.array(z.string()).describe('Entries that no longer refer to it, such as `token laptop`.'),
})

/** A boolean in a URL. */
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true')

/** A count in a URL. */
export const count = (most: number, fallback: number) => z.coerce.number().int().min(1).max(most).default(fallback)

/** Which page of a list. */
export const pageQuery = z.strictObject({
  limit: count(1_000, 500).describe('The number of entries on a page.'),
  cursor: z.string().optional().describe('The `nextCursor` of the page before; absent for the first one.'),
})

/** The next page of a list. */
const nextCursor = z.string().optional().describe('Ask for the next page with it. Absent on the last page.')

/** A page of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item) => z.strictObject({ items: z.array(item), nextCursor })

/** Dots alone are relative path segments; `__proto__` cannot be a key of an object. */
const NOT_ADDRESSABLE: ReadonlySet<string> = new Set(['.', '..', '__proto__'])

/** An id that can stand in a URL and in an object. */
export const addressable = (id: z.ZodString) =>
  id.refine((text) => !NOT_ADDRESSABLE.has(text), {
    error: 'must be another one: this has a special meaning in addresses',
  })

type Fields = typeof disclosureFields
type Value<Field> = Field extends z.ZodOptional<infer Inner extends z.ZodType> ? Inner : Field
type Effective = {
  [Key in keyof Fields]: z.ZodObject<{ value: Value<Fields[Key]>; from: z.ZodEnum<typeof ORIGINS> }, z.core.$strict>
}

const ORIGINS = { endpoint: 'endpoint', project: 'project', default: 'default' } as const

/** The settings in force, each with its origin, under the names of this product. */
export const effectiveSettings = z.strictObject(
  Object.fromEntries(
    Object.entries(disclosureFields).map(([key, field]) => [
      key,
      z.strictObject({ value: field.unwrap(), from: z.enum(ORIGINS) }),
    ]),
  ) as unknown as Effective,
)

/** The settings in force, each with its origin. */
export type EffectiveSettings = z.output<typeof effectiveSettings>
