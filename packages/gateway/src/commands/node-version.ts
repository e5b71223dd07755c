const LEAST = [22, 18] as const

/** An error message if this version of Node is too old. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1])) return undefined
  return `Tooldex needs Node ${LEAST.join('.')} or newer; this is ${version}.`
}
