import { isDeepStrictEqual } from 'node:util'
import { SECRET_MASK, type ServerConfig } from '@tooldex/contract'
import { maskArguments, maskUrl, type SecretPart } from '../../model/server-secrets.ts'
import { InvalidRequest } from './invalid-request.ts'

type Texts = Readonly<Record<string, string>>
type Path = (string | number)[]

/**
 * Replaces the masks in a configuration by the current values. Parts that equal the current ones are not looked at:
 * they may have masks in place of secrets that cannot be decrypted.
 * @throws InvalidRequest for a mask without a current value
 */
export function unmaskServer(config: ServerConfig, current: ServerConfig | undefined): ServerConfig {
  const problems: { path: Path; message: string }[] = []
  const kept = (part: string, value: string, old: string | undefined, path: Path): string => {
    if (!value.includes(SECRET_MASK)) return value
    if (old === undefined || old.includes(SECRET_MASK))
      problems.push({ path, message: `is masked, but there is no current ${part}; send the value` })
    return old ?? value
  }
  const named = (part: 'env' | 'headers' | 'inputs', values: Texts): Record<string, string> => {
    const old = new Map(Object.entries(current?.[part] ?? {}))
    const entries = Object.entries(values)
    return Object.fromEntries(entries.map(([name, value]) => [name, kept('value', value, old.get(name), [part, name])]))
  }
  const { env, headers, inputs, args, url, auth } = config
  const isNew = (part: SecretPart): boolean =>
    config[part] !== undefined && !isDeepStrictEqual(config[part], current?.[part])
  const parts = {
    ...(isNew('env') && { env: named('env', env ?? {}) }),
    ...(isNew('headers') && { headers: named('headers', headers ?? {}) }),
    ...(isNew('inputs') && { inputs: named('inputs', inputs ?? {}) }),
    ...(isNew('args') && {
      args: unmaskArguments(args ?? [], current?.args ?? []).map(([sent, old], index) =>
        kept('argument', sent, old, ['args', index]),
      ),
    }),
    ...(isNew('url') && { url: unmaskUrl(url ?? '', current?.url) }),
    ...(isNew('auth') &&
      auth?.clientSecret !== undefined && {
        auth: {
          ...auth,
          clientSecret: kept('secret', auth.clientSecret, current?.auth?.clientSecret, ['auth', 'clientSecret']),
        },
      }),
  }
  if (parts.url?.includes(SECRET_MASK) === true)
    problems.push({ path: ['url'], message: 'is partly masked; send the whole URL' })
  if (problems.length > 0) throw new InvalidRequest(problems)
  return { ...config, ...parts }
}

/**
 * Pairs each argument with the current one that its mask stands for: the one that looks the same after the same option;
 * else the one that looks the same, if there is only one such value.
 */
function unmaskArguments(
  sent: readonly string[],
  current: readonly string[],
): readonly (readonly [sent: string, old: string | undefined])[] {
  const masked = maskArguments(current)
  const place = (args: readonly string[], index: number): string => JSON.stringify([args[index - 1], args[index]])
  const places = Map.groupBy(current.keys(), (index) => place(masked, index))
  return sent.map((argument, index) => {
    const same = places.get(place(sent, index))?.shift()
    if (same !== undefined) return [argument, current[same]]
    const alike = new Set(current.filter((_, at) => masked[at] === argument))
    return [argument, alike.size === 1 ? [...alike][0] : undefined]
  })
}

/** A masked URL that was sent back unchanged stands for the current one; browsers encode the mask. */
function unmaskUrl(text: string, current: string | undefined): string {
  const readable = text.replaceAll(encodeURIComponent(SECRET_MASK), SECRET_MASK)
  if (current !== undefined && readable === maskUrl(current)) return current
  return readable.includes(SECRET_MASK) ? readable : text
}
