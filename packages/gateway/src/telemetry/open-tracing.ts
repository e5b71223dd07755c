import type { Logger } from './logger.ts'
import { NO_TRACING, type Tracing, type TracingConfig } from './tracing.ts'

/** Tracing, and a function that sends its buffered spans before the program ends. */
export interface OpenTracing {
  readonly tracing: Tracing
  readonly stop: () => Promise<void>
}

/** Opens tracing if a collector is configured. An invalid address is logged, and nothing is traced. */
export async function openTracing(
  config: TracingConfig | undefined,
  parts: { readonly version: string; readonly logger: Logger; readonly fetch: typeof fetch },
): Promise<OpenTracing> {
  const off = { tracing: NO_TRACING, stop: async () => {} }
  if (config === undefined) return off
  if (!/^https?:$/.test(URL.parse(config.url)?.protocol ?? '')) {
    parts.logger.warn({}, 'nothing is traced: the OTLP endpoint is not an http:// or https:// address')
    return off
  }
  const { OtlpTracing } = await import('./otlp-tracing.ts')
  const tracing = new OtlpTracing({ ...config, ...parts })
  return { tracing, stop: () => tracing.stop() }
}
