import { SECRET_MASK, type ServerConfig } from '@tooldex/contract'

/** The parts of a server's configuration that may contain secrets. */
export const SECRET_PARTS = ['env', 'headers', 'inputs', 'auth', 'args', 'url'] as const

/** A part of a server's configuration that may contain secrets. */
export type SecretPart = (typeof SECRET_PARTS)[number]

/** What `secretMasker` reads of a server. */
interface SecretParts {
  readonly env?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly auth?: { readonly clientSecret?: string }
  readonly args?: readonly string[]
  readonly url?: string
}

/** The configuration of a server with its secrets masked. Masking it again changes nothing. */
export function maskServer(config: ServerConfig): ServerConfig {
  const { env, headers, inputs, auth, args, url } = config
  return {
    ...config,
    ...(env !== undefined && { env: maskValues(env) }),
    ...(headers !== undefined && { headers: maskValues(headers) }),
    ...(inputs !== undefined && { inputs: maskValues(inputs) }),
    ...(auth?.clientSecret !== undefined && { auth: { ...auth, clientSecret: SECRET_MASK } }),
    ...(args !== undefined && { args: maskArguments(args) }),
    ...(url !== undefined && { url: maskUrl(url) }),
  }
}

/** The secrets of a stored server that no key decrypts, as a sentence without its full stop, and how to enter them again. */
export function unreadableSecrets(
  id: string,
  config: ServerConfig,
  parts: readonly SecretPart[],
): { readonly reason: string; readonly remedy: string } {
  const { env = {}, headers = {}, inputs = {}, command, args = [], url = '' } = config
  const written = (text: string): string => text.replaceAll(SECRET_MASK, '…')
  const each = (values: object, other: string, option: (name: string) => string): string => {
    const names = Object.keys(values)
    return (names.length > 0 ? names : [other]).map(option).join(' ')
  }
  const described: Readonly<Record<SecretPart, readonly [what: string, option: string]>> = {
    env: [listed('environment variables', env), each(env, 'NAME', (name) => `--env ${name}=…`)],
    headers: [listed('headers', headers), each(headers, 'Name', (name) => `--header "${name}: …"`)],
    inputs: [listed('inputs', inputs), each(inputs, 'NAME', (name) => `--input ${name}=…`)],
    auth: ['client secret', ''],
    args: ['arguments', `-- ${[command ?? '', ...args].map(written).map(quoted).join(' ')}`],
    url: ['URL', `--url ${quoted(written(url))}`],
  }
  // The command line comes last: everything after `--` belongs to it.
  const ordered = SECRET_PARTS.filter((part) => parts.includes(part)).toSorted((one, other) => rank(one) - rank(other))
  const options = ordered.map((part) => described[part][1]).filter((option) => option !== '')
  const commands = [
    ...(options.length > 0 ? [`tooldex server set ${id} ${options.join(' ')}`] : []),
    ...(parts.includes('auth') ? ['the client secret in the console or with the admin API'] : []),
  ]
  return {
    reason: `The ${ordered.map((part) => described[part][0]).join(', the ')} of the server ${id} cannot be decrypted, so it does not start`,
    remedy: `enter them again: ${commands.join(', and ')}`,
  }
}

const rank = (part: SecretPart): number => (part === 'args' ? 1 : 0)
const listed = (what: string, values: object): string => [what, Object.keys(values).join(', ')].join(' ').trim()
const quoted = (word: string): string => (/[^\w@%+=:,./…-]/.test(word) ? `'${word.replaceAll("'", `'\\''`)}'` : word)

function maskValues(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(values).map((name) => [name, SECRET_MASK]))
}

/** The arguments of a program with their secrets masked, by position (`--token x`) and by shape (`ghp_…`, URLs). */
export function maskArguments(args: readonly string[]): string[] {
  return args.map((argument, index) => maskArgument(argument, args[index - 1]))
}

/** A URL with its secrets masked: user info, query values, and path segments that look random. */
export function maskUrl(text: string): string {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is.exec(text) ?? []
  return scheme === '' ? maskShapes(text) : maskPrefixed(`${scheme}${maskAfterScheme(scheme, rest)}`)
}

/** A text without what is recognisable as a secret wherever it stands: URLs, bearer tokens, tokens and keys with a known prefix. */
export function maskShapes(text: string): string {
  const urls = text.includes('://')
    ? text.replace(/([a-z][a-z0-9+.-]{0,30}:\/\/)([^\s"'<>`\\]+)/gi, (_url, scheme: string, rest: string) => {
        return `${scheme}${maskAfterScheme(scheme, rest)}`
      })
    : text
  return maskPrefixed(urls)
}

/**
 * A function that masks the secrets of a server in what the server itself writes, such as a log line that repeats its
 * command line.
 */
export function secretMasker(server: SecretParts): (text: string) => string {
  const { env = {}, headers = {}, auth, args = [], url = '' } = server
  const masked = maskArguments(args)
  const values = [
    ...Object.values(env),
    ...Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]),
    auth?.clientSecret ?? '',
    ...args.flatMap((argument, index) => hiddenIn(argument, masked[index] ?? argument)),
    ...hiddenIn(url, maskUrl(url)),
  ]
  const secrets = [...new Set(values)].filter((value) => value.length >= LEAST_HIDDEN).toSorted(longestFirst)
  return (text) => maskShapes(secrets.reduce((rest, secret) => rest.replaceAll(secret, SECRET_MASK), text))
}

/** A shorter value, such as `true` or `8080`, would be found in unrelated words. */
const LEAST_HIDDEN = 8

const longestFirst = (one: string, other: string): number => other.length - one.length

/** The texts that masks replaced. */
function hiddenIn(text: string, masked: string): string[] {
  if (masked === text) return []
  const pieces = masked.split(SECRET_MASK).map((piece) => piece.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
  return new RegExp(`^${pieces.join('([^]*?)')}$`).exec(text)?.slice(1) ?? [text]
}

function maskArgument(text: string, before = ''): string {
  if (text === '') return text
  if (!isOption(text)) {
    if (isSecretOption(before)) return hidden(text)
    if (HEADER_OPTION.test(before)) return maskHeader(text)
    if (VARIABLE_OPTION.test(before)) return maskVariable(text)
    if (USER_OPTION.test(before)) return text.replace(/^(?!\d+:\d+$)([^:]+:).+$/s, `$1${SECRET_MASK}`)
  }
  return maskWord(text)
}

/** A mask; but a reference to a value that is kept elsewhere, such as `${TOKEN}`, is no secret. */
function hidden(value: string): string {
  return /^(?:(?:bearer|basic|token)\s+)?\$\{(?:(?:env|input|file):)?[\w./ -]+\??\}$/i.test(value) ? value : SECRET_MASK
}

const HEADER_OPTION = /^(?:-H|--?(?:http-?)?headers?)$/i
const VARIABLE_OPTION = /^(?:-e|--?env)$/
const USER_OPTION = /^(?:-u|--(?:proxy-)?user)$/
const SCHEME = /^(?:bearer|basic)$/i

/** Whether the next argument is a secret: `--api-key`, and within a text `Authorization:` or `Bearer`. */
function isSecretOption(text: string): boolean {
  if (SCHEME.test(text)) return true
  return /^(?:--?[\w.-]+|[\w-]+:)$/.test(text) && isSecretName(text)
}

/** Whether an argument is an option rather than the value of the option before it. Random values may begin with a dash. */
function isOption(text: string): boolean {
  return /^(?:-[A-Za-z]|--[a-z][a-z-]*(?:=.*)?)$/s.test(text)
}

function maskHeader(text: string): string {
  const [, name = '', value = text] = /^([^:=\s]+\s*[:=]\s*)(\S.*)$/s.exec(text) ?? []
  return `${name}${hidden(value)}`
}

function maskVariable(text: string): string {
  const [, name, value = ''] = /^([A-Za-z_]\w*=)(.+)$/s.exec(text) ?? []
  return name === undefined ? maskWord(text) : `${name}${hidden(value)}`
}

/** `--name=value`, `NAME=value`, `Name: value`, a URL, JSON, a command line for a shell, or anything else. */
function maskWord(text: string): string {
  const [, dashes = '', name = '', value] = /^(--?|)([A-Za-z_][\w.-]*)=(.+)$/s.exec(text) ?? []
  if (value !== undefined) {
    const option = `${dashes}${name}`
    if (isSecretName(name)) return `${option}=${hidden(value)}`
    if (HEADER_OPTION.test(option)) return `${option}=${maskHeader(value)}`
    if (VARIABLE_OPTION.test(option)) return `${option}=${maskVariable(value)}`
    if (/^-e[A-Za-z_]\w*$/.test(option)) return `${option}=${hidden(value)}`
    return `${option}=${maskWord(value)}`
  }
  const [, header, headerName = ''] = /^(([A-Za-z][\w-]*)\s*:\s*)(?!\/\/)\S/.exec(text) ?? []
  if (header !== undefined && isSecretName(headerName)) return `${header}${SECRET_MASK}`
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) && !text.includes('://', text.indexOf('://') + 1)) return maskUrl(text)
  return maskInside(maskNamed(maskShapes(text)))
}

/** Masks the words of a command line for a shell. */
function maskInside(text: string): string {
  if (!/\s/.test(text)) return text
  const [, quote, inner] = /^(["'])(.*)\1$/s.exec(text) ?? []
  if (quote !== undefined && inner !== undefined && !inner.includes(quote)) return `${quote}${maskWord(inner)}${quote}`
  let before: string | undefined
  return text.replace(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'])+/g, (word) => {
    const masked = word === text ? word : maskArgument(word, before)
    before = word
    return masked
  })
}

/** Masks values in JSON and connection strings by their names: `"apiKey": "x"`, `Password=x;`. */
function maskNamed(text: string): string {
  return text
    .replace(/("((?:[^"\\]|\\.)*)"\s*:\s*)"(?:[^"\\]|\\.)+"/g, (pair, start: string, name: string) =>
      isSecretName(name) ? `${start}"${SECRET_MASK}"` : pair,
    )
    .replace(
      /([\s;&#?,{(:["'@]|^)([A-Za-z_][\w.-]*=)("[^"]+"|'[^']+'|[^\s;&]+)/g,
      (pair, start: string, name: string) => (isSecretName(name) ? `${start}${name}${SECRET_MASK}` : pair),
    )
}

const SECRET_WORDS = new Set([
  ...[
    'key',
    'keys',
    'apikey',
    'token',
    'tokens',
    'secret',
    'secrets',
    'password',
    'passwd',
    'passphrase',
    'pass',
    'pwd',
  ],
  ...['auth', 'authorization', 'bearer', 'credential', 'credentials', 'cookie', 'pat', 'jwt', 'dsn', 'signature'],
])
const SECRET_ENDS = /(?:key|token|secret|password|passwd|credentials?|connectionstring)$/
/** A name with such a word describes a secret and is none: `--token-file`, `--max-tokens`, `--no-auth`. */
const HARMLESS_ENDS = new Set([
  ...['file', 'path', 'dir', 'folder', 'url', 'uri', 'endpoint', 'type', 'mode', 'name', 'id', 'length', 'limit'],
  ...['count', 'size', 'ttl', 'timeout', 'format', 'prefix', 'provider', 'method', 'algorithm', 'env', 'var'],
])
const HARMLESS_STARTS = new Set(['max', 'min', 'num', 'no', 'disable', 'enable', 'skip', 'require'])

function isSecretName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
  if (HARMLESS_STARTS.has(words[0] ?? '') || HARMLESS_ENDS.has(words.at(-1) ?? '')) return false
  return words.some((word) => SECRET_WORDS.has(word)) || SECRET_ENDS.test(words.join(''))
}

/** The rest of a URL after `scheme://`. Not parsed by `URL`, which refuses or rewrites what people type. */
function maskAfterScheme(scheme: string, rest: string): string {
  const [beforeHash = '', ...hash] = rest.split('#')
  const [address = '', ...query] = beforeHash.split('?')
  if (hasBrokenUser(scheme, address, rest)) {
    const at = rest.lastIndexOf('@')
    return at < 0 ? SECRET_MASK : `${SECRET_MASK}@${maskAfterScheme(scheme, rest.slice(at + 1))}`
  }
  const host = withoutUser(address)
  const fragment = hash.length === 0 ? '' : `#${maskNamed(hash.join('#'))}`
  return `${host}${query.length === 0 ? '' : `?${query.join('?').split('&').map(maskPair).join('&')}`}${fragment}`
}

/** A password may contain `/`, `?` or `#`, which end the host: then no port follows the colon, or an @ comes later. */
function hasBrokenUser(scheme: string, address: string, rest: string): boolean {
  const authority = address.split('/', 1)[0] ?? ''
  if (authority.includes('@') || authority.startsWith('[')) return false
  return /:(?!\d*$)/.test(authority) || (rest.includes('@') && !/^(?:git\+)?(?:https?|ssh|wss?):/i.test(scheme))
}

/** A user name may be a token, so all of the user info is masked. */
function withoutUser(address: string): string {
  const slash = address.indexOf('/')
  const authority = slash < 0 ? address : address.slice(0, slash)
  const path = slash < 0 ? '' : address.slice(slash).replaceAll(/[^/]+/g, maskSegment)
  const at = authority.lastIndexOf('@')
  return `${at < 0 ? authority : `${SECRET_MASK}${authority.slice(at)}`}${path}`
}

const maskPair = (pair: string): string =>
  pair.replace(/^([^=]*=)?(.+)$/s, (_pair, name: string | undefined, value: string) => `${name ?? ''}${hidden(value)}`)

/** Some servers give every user a URL of their own: the secret is a segment of its path. */
function maskSegment(segment: string): string {
  const runs = segment.match(/[A-Za-z0-9]{20,}/g) ?? []
  return runs.some((run) => /\d/.test(run) && /[A-Za-z]/.test(run)) ? SECRET_MASK : segment
}

/** Repetitions are bounded, so that a hostile log line is read in linear time. */
const PREFIXED = new RegExp(
  [
    // The tokens of Tooldex itself, of every kind.
    String.raw`tdx[a-z]{0,8}_[\w-]{4,}`,
    // A random value has a digit; names of packages such as `sk-learn-tools` have none.
    String.raw`\b(?:[spr]k[-_]|gh[opsur]_|github_pat_|glpat-|xox[abeprs]-|npm_|hf_|lin_api_|ntn_|pplx-|AKIA|AIza)(?=[\w-]{0,80}\d)[\w-]{8,}`,
    String.raw`(?<![\w-])eyJ[\w-]{8,2000}\.[\w.-]+`,
    String.raw`-----BEGIN [^-]*PRIVATE KEY-----[\w\s+/=:,.\\-]*`,
  ].join('|'),
  'g',
)

function maskPrefixed(text: string): string {
  return text.replace(PREFIXED, SECRET_MASK).replace(/\b(Bearer|Basic)(\s+)[\w.~+/=-]{8,}/gi, `$1$2${SECRET_MASK}`)
}
