import type {
  AuthConfig,
  EmbeddingsConfig,
  ListenLimitsConfig,
  LogLevel,
  RateLimitsConfig,
  SearchApiConfig,
} from '@tooldex/contract'
import type { TracingConfig } from '../telemetry/tracing.ts'

/** What is fixed while the gateway runs. Servers, projects, endpoints and tokens are in the model, which may change. */
export interface GatewayConfig {
  /** The file it came from; absent without one. */
  readonly path?: string
  readonly listen: ListenConfig
  /** An identity provider whose JWTs are accepted; absent where there is none. */
  readonly auth?: AuthConfig
  readonly rateLimits?: RateLimitsConfig
  /** Absolute. */
  readonly dataDir: string
  /** The address of a PostgreSQL database; without it, one SQLite file in the data folder. */
  readonly database?: string
  readonly audit: AuditConfig
  readonly logLevel: LogLevel
  /** Absent where nobody said: the built-in table. */
  readonly embeddings?: EmbeddingsConfig
  /** Absent where no service answers `cloud`. */
  readonly searchApi?: SearchApiConfig & { readonly url: string }
  /** Absent where nothing is traced. */
  readonly tracing?: TracingConfig
}

/** Where audit entries go and how long they stay. */
interface AuditConfig {
  /** Absolute. With it, entries go there and not into the database. */
  readonly file?: string
  readonly keepDays: number
  readonly maxEntries: number
}

/** Where to listen and who may address it. */
export interface ListenConfig {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Host names, beside the loopback ones, under which we may be called and whose web pages may call us. */
  readonly allowedHosts: readonly string[]
  /** The address under which people reach it, where a proxy stands before it. */
  readonly publicUrl?: string | undefined
  /** How many connections there may be, and how long each may keep us waiting; what holds by itself if absent. */
  readonly limits?: ListenLimitsConfig
}

/** Addresses that mean every interface and that nobody can be sent to. */
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '[::]'])

/** The address that a browser can be sent to: the public one, or a name of ours where we listen everywhere. */
export function reachableUrl(
  listening: string,
  { publicUrl, allowedHosts }: Pick<ListenConfig, 'publicUrl' | 'allowedHosts'>,
): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '')
  const { hostname, port } = new URL(listening)
  return EVERYWHERE.has(hostname) ? `http://${allowedHosts[0] ?? '127.0.0.1'}:${port}` : listening
}
