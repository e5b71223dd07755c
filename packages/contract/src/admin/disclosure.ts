import { z } from 'zod'
import { disclosureFields } from '../disclosure-config.ts'

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
