// The ways to run or reach a server of a registry. A registry's texts decide which package runs, never how: options that
// reach beyond the package are refused, and a version is always pinned.
import { createHash } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import type { ServerConfig } from '@tooldex/contract'
import type { RegistryInput, RegistryServer, RegistryWay } from '@tooldex/contract/admin'
import { canonicalText } from '../../model/canonical-json.ts'
import {
  type Argument,
  type Field,
  Inputs,
  isFixed,
  shownField,
  Unusable,
  Values,
  type ValueProblem,
} from './fields.ts'
import { type JsonArgument, type JsonPackage, type JsonRemote, packageSchema, remoteSchema } from './server-json.ts'

/** One way with everything that is needed to add it. */
export interface Way {
  readonly kind: RegistryWay['kind']
  readonly package?: string
  readonly command?: string
  readonly args: readonly Argument[]
  readonly env: Named
  readonly url?: Field
  readonly headers: Named
  readonly type?: 'sse'
  readonly inputs: readonly RegistryInput[]
}

type Named = readonly (readonly [name: string, field: Field])[]

const MOST_WAYS = 8
const LONGEST_SHOWN = 1_000

/** Reads the packages and addresses of an entry. */
export function readWays(
  packages: readonly unknown[],
  remotes: readonly unknown[],
  registry: URL,
): { readonly ways: readonly Way[]; readonly unusable: RegistryServer['unusable'] } {
  const ways: Way[] = []
  const unusable: RegistryServer['unusable'] = []
  const read = (make: () => Way, what: () => string): void => {
    try {
      ways.push(make())
    } catch (error) {
      const reason = error instanceof Unusable ? error.message : 'is not described in the format of server.json'
      unusable.push({ what: what(), reason })
    }
  }
  for (const each of packages.slice(0, MOST_WAYS))
    read(
      () => packageWay(packageSchema.parse(each)),
      () => nameOf(each),
    )
  for (const each of remotes.slice(0, MOST_WAYS)) {
    read(
      () => remoteWay(remoteSchema.parse(each), registry),
      () => nameOf(each),
    )
  }
  return { ways, unusable }
}

function nameOf(value: unknown): string {
  const { registryType, identifier, url } = (value ?? {}) as Readonly<Record<string, unknown>>
  const texts = [registryType, identifier, url].filter((text) => typeof text === 'string')
  return (
    texts
      .join(' ')
      .replaceAll(/[^\x20-\x7e]/g, '')
      .slice(0, 200) || 'an entry'
  )
}

/** A kind of package: how its packages are named, and the program that runs them. */
interface Runtime {
  readonly identifier: RegExp
  readonly home: RegExp
  readonly command: string
  readonly before: readonly string[]
  /** The package as the program wants it. */
  readonly spec: (identifier: string, version: string) => string
  /** Options that a registry may pass to the program. */
  readonly allows: (argument: Argument, inputs: readonly RegistryInput[]) => boolean
}

const NOTHING = (): boolean => false
const VERSION = /^[0-9A-Za-z][0-9A-Za-z.+_-]{0,99}$/

const RUNTIMES: Readonly<Record<Exclude<RegistryWay['kind'], 'remote'>, Runtime>> = {
  npm: {
    identifier: /^(?:@[A-Za-z0-9~][\w.~-]*\/)?[A-Za-z0-9~][\w.~-]*$/,
    home: /^https:\/\/registry\.npmjs\.org\/?$/,
    command: 'npx',
    before: ['-y'],
    spec: (identifier, version) => `${identifier}@${version}`,
    allows: ({ flag, field }) => field === undefined && (flag === '-y' || flag === '--yes'),
  },
  pypi: {
    identifier: /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/,
    home: /^https:\/\/pypi\.org\/?$/,
    command: 'uvx',
    before: [],
    spec: (identifier, version) => `${identifier}@${version}`,
    allows: NOTHING,
  },
  oci: {
    identifier:
      /^[a-z0-9](?:[a-z0-9._:-]*[a-z0-9])?(?:\/[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)*(?::[\w.-]+)?(?:@sha256:[0-9a-f]{64})?$/,
    home: /^https:\/\/[a-z0-9.-]+\/?$/,
    command: 'docker',
    before: ['run', '-i', '--rm'],
    spec: (identifier, version) => (/[:@][^/]*$/.test(identifier) ? identifier : `${identifier}:${version}`),
    allows: dockerAllows,
  },
  nuget: {
    identifier: /^[A-Za-z0-9_](?:[\w.-]*[A-Za-z0-9_])?$/,
    home: /^https:\/\/api\.nuget\.org(?:\/v3\/index\.json)?\/?$/,
    command: 'dnx',
    before: [],
    spec: (identifier, version) => `${identifier}@${version}`,
    allows: ({ flag, field }) => field === undefined && flag === '--yes',
  },
}

/** Variables, and folders that the user names. No privileges, no networks, no folders of the registry's choice. */
function dockerAllows({ flag, field }: Argument, inputs: readonly RegistryInput[]): boolean {
  if (field === undefined) return flag !== undefined && ['-i', '--interactive', '--rm', '--init'].includes(flag)
  if (flag === '-e' || flag === '--env') return true
  return (flag === '-v' || flag === '--volume' || flag === '--mount') && !isFixed(field, inputs)
}

/** Variables that change what a runtime loads or from where. */
const REACHES_RUNTIME =
  /^(?:npm_|uv_|pip_|ld_|dyld_|node_|python|docker_|dotnet_|nuget_|path$|home$|(?:https?|all)_proxy$)/i

function packageWay(given: JsonPackage): Way {
  const { registryType, registryBaseUrl, transport, runtimeHint, environmentVariables, packageArguments } = given
  const runtime = Object.hasOwn(RUNTIMES, registryType) ? RUNTIMES[registryType as keyof typeof RUNTIMES] : undefined
  if (runtime === undefined) throw new Unusable('is a kind of package that Tooldex does not run')
  if (transport.type !== 'stdio')
    throw new Unusable('serves HTTP by itself: start it, then add its address with `tooldex server add`')
  const kind = registryType as Way['kind']
  const identifier = kind === 'oci' ? imageName(given.identifier, registryBaseUrl) : given.identifier
  if (!runtime.identifier.test(identifier) || identifier.length > 214)
    throw new Unusable('has a name that is not valid')
  if (registryBaseUrl !== undefined && !runtime.home.test(registryBaseUrl))
    throw new Unusable(`is not at the usual place for ${kind} packages`)
  const version = given.version ?? ''
  const isPinned = kind === 'oci' && /[:@][^/]*$/.test(identifier)
  if (!isPinned && (!VERSION.test(version) || version === 'latest')) throw new Unusable('has no exact version')
  const inputs = new Inputs()
  const runtimeArguments = readArguments(given.runtimeArguments, inputs)
  const refused = runtimeArguments.find((argument) => !runtime.allows(argument, inputs.all))
  const usesOther = runtimeHint !== undefined && runtimeHint !== runtime.command && runtimeArguments.length > 0
  if (refused !== undefined || usesOther) {
    const option = refused?.flag ?? 'options'
    throw new Unusable(
      `passes ${option} to ${runtimeHint ?? runtime.command}: if you want that, use \`tooldex server add\``,
    )
  }
  const env = environmentVariables.map((each) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(each.name))
      throw new Unusable('has an environment variable whose name is not valid')
    const field = inputs.named(each)
    if (REACHES_RUNTIME.test(each.name) && isFixed(field, inputs.all)) throw new Unusable(`sets ${each.name}`)
    return [each.name, field] as const
  })
  const spec = runtime.spec(identifier, version)
  const repeated = new Set(runtime.before)
  return {
    kind,
    package: spec,
    command: runtime.command,
    args: [
      ...runtime.before.map((text) => ({ field: [text] })),
      ...runtimeArguments.filter(({ flag, field }) => field !== undefined || !repeated.has(flag ?? '')),
      // Docker takes the values from its own environment, so that they are in no command line.
      ...(kind === 'oci' ? env.map(([name]) => ({ flag: '-e', field: [name] })) : []),
      { field: [spec] },
      ...(kind === 'nuget' && packageArguments.length > 0 ? [{ field: ['--'] }] : []),
      ...readArguments(packageArguments, inputs),
    ],
    env,
    headers: [],
    inputs: inputs.all,
  }
}

const readArguments = (given: readonly JsonArgument[], inputs: Inputs): Argument[] =>
  given.map((each) => inputs.argument(each))

/** Older entries name the host of an image apart from it. */
function imageName(identifier: string, base: string | undefined): string {
  if (base === undefined || !URL.canParse(base)) return identifier
  const { host } = new URL(base)
  return host === 'docker.io' || identifier.startsWith(`${host}/`) ? identifier : `${host}/${identifier}`
}

function remoteWay({ type, url, headers, variables }: JsonRemote, registry: URL): Way {
  const inputs = new Inputs()
  const field = inputs.template(url, variables)
  const address = addressOf(shownField(field).replaceAll(/<([\w.-]+)>/g, 'x'))
  if (address === undefined) throw new Unusable('is not an http or https address')
  const starts = typeof field[0] === 'string' && /^https?:\/\//.test(field[0])
  if (starts && !isPrivate(registry) && (address.protocol !== 'https:' || isPrivate(address))) {
    throw new Unusable('is not a public https address: if you trust it, use `tooldex server add`')
  }
  return {
    kind: 'remote',
    args: [],
    env: [],
    url: field,
    headers: headers.map((each) => {
      if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.test(each.name))
        throw new Unusable('has a header whose name is not valid')
      if (/^(?:host|connection|content-.*|transfer-encoding|accept|mcp-.*|cookie)$/i.test(each.name)) {
        throw new Unusable(`sets the header ${each.name}`)
      }
      return [each.name, inputs.named(each)] as const
    }),
    ...(type === 'sse' && { type }),
    inputs: inputs.all,
  }
}

function addressOf(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username + url.password === '' ? url : undefined
}

const PRIVATE = new BlockList()
for (const [net, bits] of [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
  ] as const),
  ...([
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
  ] as const),
] as const) {
  PRIVATE.addSubnet(net, bits, 'ipv4')
}
for (const [net, bits] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  PRIVATE.addSubnet(net, bits, 'ipv6')

/** Whether a URL names this machine or a private network by its address. */
function isPrivate({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const family = isIP(host)
  if (family !== 0) return PRIVATE.check(host, family === 4 ? 'ipv4' : 'ipv6')
  return /(?:^|\.)localhost\.?$/.test(host) || !host.includes('.')
}

/** A way as the API shows it. */
export function shownWay(way: Way): RegistryWay {
  const { kind, args, command, url, type, inputs } = way
  const words = args.flatMap(({ flag, field, onlyIf }) => {
    if (onlyIf !== undefined) return [`[${flag ?? ''}]`]
    return [...(flag === undefined ? [] : [flag]), ...(field === undefined ? [] : [shownField(field)])]
  })
  return {
    id: createHash('sha256').update(canonicalText(way)).digest('hex').slice(0, 16),
    kind,
    transport: url === undefined ? 'stdio' : (type ?? 'http'),
    ...(way.package !== undefined && { package: way.package }),
    ...(command !== undefined && { runs: [command, ...words].join(' ').slice(0, LONGEST_SHOWN) }),
    ...(url !== undefined && { connects: shownField(url).slice(0, LONGEST_SHOWN) }),
    inputs: [...inputs],
  }
}

/** The configuration of the server that a way adds. */
export interface FilledWay {
  readonly config: Pick<ServerConfig, 'command' | 'args' | 'env' | 'url' | 'headers' | 'type' | 'inputs'>
  /** Keys of required inputs without a value. The gateway keeps such a server switched off. */
  readonly missing: readonly string[]
  readonly problems: readonly ValueProblem[]
}

/** Fills a way with values. */
export function fillWay(way: Way, given: Readonly<Record<string, string>>): FilledWay {
  const values = new Values(way.inputs, given)
  const record = (named: Named): Record<string, string> =>
    Object.fromEntries(
      named.flatMap(([name, field]) =>
        values
          .fill(field)
          .slice(0, 1)
          .map((text) => [name, text]),
      ),
    )
  const args = way.args.flatMap(({ flag, field, onlyIf }) => {
    const before = flag === undefined ? [] : [flag]
    if (onlyIf !== undefined) return values.isTrue(onlyIf) ? before : []
    return field === undefined ? before : values.fill(field).flatMap((text) => [...before, text])
  })
  const env = record(way.env)
  const headers = record(way.headers)
  const [url] = way.url === undefined ? [] : values.fill(way.url)
  const address = way.url === undefined ? undefined : values.plain(way.url)
  const problems = [...values.problems]
  if (way.url !== undefined && address !== undefined && !staysAt(way.url, address)) {
    problems.push({ path: ['values'], message: 'make an address that is not valid' })
  }
  const { missing, secrets } = values
  return {
    config: {
      ...(way.command !== undefined && { command: way.command, args }),
      ...(Object.keys(env).length > 0 && { env }),
      ...(url !== undefined && { url }),
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(way.type !== undefined && { type: way.type }),
      ...(Object.keys(secrets).length > 0 && { inputs: secrets }),
    },
    missing,
    problems,
  }
}

/** Whether the filled address is valid, and on the host that the registry named, if it named one. */
function staysAt(field: Field, text: string): boolean {
  const address = addressOf(text)
  const named = /^https?:\/\/[^/?#]+(?=[/?#])/.exec(typeof field[0] === 'string' ? field[0] : '')?.[0]
  return address !== undefined && (named === undefined || address.origin === new URL(named).origin)
}
