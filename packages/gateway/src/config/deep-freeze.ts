/** Freezes a value and everything in it. Maps and sets stay as they are; their entries are frozen. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (value instanceof Map || value instanceof Set) {
    for (const entry of value.values()) deepFreeze(entry)
    return value
  }
  Object.freeze(value)
  for (const entry of Object.values(value)) deepFreeze(entry)
  return value
}
