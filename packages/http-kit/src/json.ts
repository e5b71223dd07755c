/** A JSON object of unknown content. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object: no array, no null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
