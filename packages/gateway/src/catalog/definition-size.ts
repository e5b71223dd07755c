const known = new WeakMap<object, number>()

/** The length of a tool's definition as JSON. Definitions are immutable, so each is measured once. */
export function charactersOf(definition: object): number {
  const characters = known.get(definition) ?? JSON.stringify(definition).length
  known.set(definition, characters)
  return characters
}

/** Measures a variant of a definition by the members in which they differ. The name is one of them, or the same. */
export function measureVariant(variant: object, of: object, members: readonly string[]): void {
  // Each member adds its own length and one sign to an object that is not empty.
  known.set(variant, charactersOf(of) + partOf(variant, members) - partOf(of, members))
}

function partOf(definition: object, members: readonly string[]): number {
  let characters = 0
  for (const name of members) {
    const member = (definition as Readonly<Record<string, unknown>>)[name]
    const text = JSON.stringify(member) as string | undefined
    if (text !== undefined) characters += name.length + 4 + text.length
  }
  return characters
}
