import type { ServerConfig } from '@tooldex/contract'
import { SECRET_MASK } from '@tooldex/contract/admin'
import { InvalidRequest } from './invalid-request.ts'

type Texts = Readonly<Record<string, string>>

/** Parts of a server's configuration whose values are secrets. */
const SECRET_PARTS = ['env', 'headers', 'inputs'] as const

/** The configuration of a server with the values of its secrets masked. */
export function maskServer(config: ServerConfig): ServerConfig {
  const masked = SECRET_PARTS.flatMap((part) => {
    const values = config[part]
    return values === undefined ? [] : [[part, mapped(values, () => SECRET_MASK)] as const]
  })
  return {
    ...config,
    ...Object.fromEntries(masked),
    ...(config.args !== undefined && { args: config.args.map(maskArgument) }),
    ...(config.url !== undefined && { url: maskUrl(config.url) }),
    ...(config.auth?.clientSecret !== undefined && { auth: { ...config.auth, clientSecret: SECRET_MASK } }),
  }
}

/**
 * Replaces the masks in a configuration by the current values.
 * @throws InvalidRequest for a mask without a current value
 */
export function unmaskServer(config: ServerConfig, current: ServerConfig | undefined): ServerConfig {
  const problems: { path: (string | number)[]; message: string }[] = []
  const kept = (part: string, value: string, old: string | undefined, path: (string | number)[]): string => {
    if (!value.includes(SECRET_MASK)) return value
    if (old === undefined)
      problems.push({ path, message: `is masked, but there is no current ${part}; send the value` })
    return old ?? value
  }
  const parts = SECRET_PARTS.flatMap((part) => {
    const values = config[part]
    if (values === undefined) return []
    const old = new Map(Object.entries(current?.[part] ?? {}))
    return [[part, mapped(values, (value, name) => kept('value', value, old.get(name), [part, name]))] as const]
  })
  const url = config.url === undefined ? undefined : unmaskUrl(config.url, current?.url)
  if (url?.includes(SECRET_MASK) === true)
    problems.push({ path: ['url'], message: 'is partly masked; send the whole URL' })
  const args = config.args?.map((arg, index) => kept('argument', arg, sameArgument(arg, current), ['args', index]))
  const { auth } = config
  const clientSecret = kept('secret', auth?.clientSecret ?? '', current?.auth?.clientSecret, ['auth', 'clientSecret'])
  if (problems.length > 0) throw new InvalidRequest(problems)
  return {
    ...config,
    ...Object.fromEntries(parts),
    ...(args !== undefined && { args }),
    ...(url !== undefined && { url }),
    ...(auth?.clientSecret !== undefined && { auth: { ...auth, clientSecret } }),
  }
}

/** The current argument that this mask stands for. */
function sameArgument(masked: string, current: ServerConfig | undefined): string | undefined {
  return current?.args?.find((arg) => arg !== masked && maskArgument(arg) === masked)
}

/** Masks an argument that looks like a secret. */
export function maskArgument(argument: string): string {
  const [, name] = /^(--?[\w-]*(?:key|token|secret|password|auth)[\w-]*=).+$/i.exec(argument) ?? []
  if (name !== undefined) return `${name}${SECRET_MASK}`
  return /^(?:sk-|ghp_|github_pat_|xox[abp]-|tdxa?_|eyJ)[\w.-]{8,}$/.test(argument) ? SECRET_MASK : argument
}

/** Masks the password and the query values of a URL; query values may be API keys. */
export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return text
  const url = new URL(text)
  const hasSecret = url.password !== '' || url.search !== ''
  if (!hasSecret) return text
  const user = url.username === '' ? '' : `${url.username}${url.password === '' ? '' : `:${SECRET_MASK}`}@`
  const query = [...url.searchParams.keys()].map((name) => `${encodeURIComponent(name)}=${SECRET_MASK}`).join('&')
  return `${url.protocol}//${user}${url.host}${url.pathname}${query === '' ? '' : `?${query}`}${url.hash}`
}

/** A masked URL that was sent back unchanged stands for the current one. */
function unmaskUrl(text: string, current: string | undefined): string {
  const readable = text.includes('%E2%80%A2') ? decodeURIComponent(text) : text
  return current !== undefined && readable === maskUrl(current)
    ? current
    : readable.includes(SECRET_MASK)
      ? readable
      : text
}

function mapped(values: Texts, change: (value: string, name: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]))
}
