import type { Config } from '@tooldex/contract'
import type { TracingConfig } from '../telemetry/tracing.ts'

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Where traces go: as the file says, else as the variables say that all programs with OpenTelemetry read. Headers belong
 * to an address, so those of the environment never travel to one from the file.
 */
export function tracingConfig(telemetry: Config['telemetry'], variables: Variables): TracingConfig | undefined {
  const isOff = variables['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || variables['OTEL_TRACES_EXPORTER'] === 'none'
  if (isOff) return undefined
  const serviceName = set(variables, 'OTEL_SERVICE_NAME') ?? 'tooldex'
  const { otlpEndpoint, otlpHeaders } = telemetry
  if (otlpEndpoint !== undefined) return { url: tracesUrl(otlpEndpoint), headers: otlpHeaders, serviceName }
  const base = set(variables, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  const url = set(variables, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? (base === undefined ? undefined : tracesUrl(base))
  if (url === undefined) return undefined
  const headers = set(variables, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS') ?? set(variables, 'OTEL_EXPORTER_OTLP_HEADERS')
  return { url, headers: headerList(headers ?? ''), serviceName }
}

/** An empty variable counts as none. */
function set(variables: Variables, name: string): string | undefined {
  const value = variables[name]?.trim()
  return value === '' ? undefined : value
}

function tracesUrl(endpoint: string): string {
  const base = endpoint.replace(/\/+$/, '')
  return base.endsWith('/v1/traces') ? base : `${base}/v1/traces`
}

/** `name=value,name=value`, values in percent encoding where they need it. */
function headerList(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=')
    const name = pair.slice(0, Math.max(0, at)).trim()
    return name === '' ? [] : [[name, decoded(pair.slice(at + 1).trim())] as const]
  })
  return Object.fromEntries(pairs)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
