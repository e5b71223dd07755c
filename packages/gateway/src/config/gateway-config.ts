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
  /** Where `tooldex add` finds servers. */
  readonly registries: readonly RegistryConfig[]
  /** Absent if tracing is off. */
  readonly tracing?: TracingConfig
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
  /** Limits and time limits of connections; by default the built-in ones. */
  readonly limits?: ListenLimitsConfig
}

/** Wildcard addresses, which a browser cannot open. */
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '[::]'])

/** The URL to open in a browser: the public one, or a host name if the gateway listens on all interfaces. */
export function reachableUrl(
  listening: string,
  { publicUrl, allowedHosts }: Pick<ListenConfig, 'publicUrl' | 'allowedHosts'>,
): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '')
  const { hostname, port } = new URL(listening)
  return WILDCARDS.has(hostname) ? `http://${allowedHosts[0] ?? '127.0.0.1'}:${port}` : listening
}
