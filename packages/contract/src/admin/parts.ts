// Pieces that several nouns share.
import { z } from 'zod'

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
