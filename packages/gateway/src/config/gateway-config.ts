import { networkInterfaces } from 'node:os'
import type {
  AuthConfig,
  EmbeddingsConfig,
  ListenLimitsConfig,
  LogLevel,
  RateLimitsConfig,
  RegistryConfig,
  SearchApiConfig,
} from '@tooldex/contract'
import type { TracingConfig } from '../telemetry/tracing.ts'

/** The static configuration. Servers, projects, endpoints and tokens can change and are in the model. */
export interface GatewayConfig {
  /** The path of the configuration file, if there is one. */
  readonly path?: string
  readonly listen: ListenConfig
  /** An identity provider whose JWTs are accepted. */
  readonly auth?: AuthConfig
  readonly rateLimits?: RateLimitsConfig
  /** Absolute. */
  readonly dataDir: string
  /** The URL of a PostgreSQL database; by default a SQLite file in the data folder. */
  readonly database?: string
  readonly audit: AuditConfig
  readonly logLevel: LogLevel
  /** How long requests wait for servers whose tools are not known yet. */
  readonly startGraceMs?: number
  /** How long a stop lets requests under way finish. */
  readonly drainMs?: number
  /** By default the built-in table. */
  readonly embeddings?: EmbeddingsConfig
  /** Whether searches learn from use; true by default. */
  readonly learning?: boolean
  /** The service behind the strategy `cloud`. */
  readonly searchApi?: SearchApiConfig & { readonly url: string }
  /** The engine of the search index; by default there is none but memory. */
  readonly searchEngine?: EngineConfig
  /** Where `tooldex add` finds servers. */
  readonly registries: readonly RegistryConfig[]
  /** Absent if tracing is off. */
  readonly tracing?: TracingConfig
}

/** Where LanceDB keeps the search index. */
export interface EngineConfig {
  /** An absolute folder, or a URL. */
  readonly at: string
  readonly storage: Readonly<Record<string, string>>
}

/** The default of `drainMs`. */
export const DRAIN_MS = 25_000

/** The default of `startGraceMs`. */
export const START_GRACE_MS = 3_000

/** The destination and retention of audit entries. */
interface AuditConfig {
  /** An absolute path. If set, entries go to this file instead of the database. */
  readonly file?: string
  /** Whether entries have the texts of searches. */
  readonly queries: boolean
  readonly keepQueryDays: number
  readonly keepDays: number
  readonly maxEntries: number
}

/** The listening address and the accepted host names. */
export interface ListenConfig {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** Host names, besides the loopback ones, that are accepted in `Host` and `Origin`. */
  readonly allowedHosts: readonly string[]
  /** The public URL, if a proxy is in front of the gateway. */
  readonly publicUrl?: string | undefined
  /** Proxies whose headers name the addresses of clients; none by default. */
  readonly trustedProxies?: readonly string[]
  /** The URL at which the other gateways on the database reach this one; by default its listening address. */
  readonly replicaUrl?: string | undefined
  /** Limits and time limits of connections; by default the built-in ones. */
  readonly limits?: ListenLimitsConfig
}

/** The URL at which the other gateways on the database reach this one. */
export function replicaUrl(listening: string, { replicaUrl: given }: Pick<ListenConfig, 'replicaUrl'>): string {
  if (given !== undefined) return given.replace(/\/+$/, '')
  const url = new URL(listening)
  if (!WILDCARDS.has(url.hostname)) return listening
  const outside = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ internal }) => !internal)
  if (outside !== undefined) url.hostname = outside.family === 'IPv6' ? `[${outside.address}]` : outside.address
  else url.hostname = '127.0.0.1'
  return url.origin
}

/** Wildcard addresses, which a browser cannot open. */
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '[::]'])

/** The URL at which a gateway listens. */
export function listeningUrl({ host, port }: Pick<ListenConfig, 'host' | 'port'>): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The URL for programs on the same machine. */
export function localUrl(listening: string): string {
  const { hostname, port } = new URL(listening)
  return WILDCARDS.has(hostname) ? `http://127.0.0.1:${port}` : listening
}

/** The URL to open in a browser: the public one, or a host name if the gateway listens on all interfaces. */
export function reachableUrl(
  listening: string,
  { publicUrl, allowedHosts: [name] }: Pick<ListenConfig, 'publicUrl' | 'allowedHosts'>,
): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '')
  const { hostname, port } = new URL(listening)
  return WILDCARDS.has(hostname) && name !== undefined ? `http://${name}:${port}` : localUrl(listening)
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i

/** Whether only programs on this machine reach the gateway: it listens on loopback, and no proxy is in front of it. */
export function isPrivate({ host, publicUrl, allowedHosts }: ListenConfig): boolean {
  return publicUrl === undefined && allowedHosts.length === 0 && LOOPBACK.test(host)
}
