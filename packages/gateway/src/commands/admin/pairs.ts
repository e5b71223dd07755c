import { GatewayError } from '../../errors.ts'

/** `K=V` and `K: V` as entries of a record. @throws GatewayError INVALID_ARGUMENTS */
export function pairs(
  texts: readonly string[] | undefined,
  separator: '=' | ':',
  option: string,
): Record<string, string> | undefined {
  if (texts === undefined || texts.length === 0) return undefined
  const entries = texts.map((text) => {
    const at = text.indexOf(separator)
    const name = text.slice(0, Math.max(0, at)).trim()
    if (name !== '') return [name, separator === ':' ? text.slice(at + 1).trim() : text.slice(at + 1)] as const
    // Never the text itself: half of it is a secret.
    const example = separator === '=' ? 'NAME=value' : '"Name: value"'
    throw new GatewayError('INVALID_ARGUMENTS', { reason: `${option} takes ${example}` })
  })
  return Object.fromEntries(entries)
}
