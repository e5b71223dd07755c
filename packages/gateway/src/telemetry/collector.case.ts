// A collector that takes OTLP over HTTP and keeps what it is sent.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A span as it came over the wire. */
export interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly traceState?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, string>> }[]
  readonly status: { readonly code?: number; readonly message?: string }
}

interface SentBody {
  readonly resourceSpans: readonly {
    readonly resource: Pick<SentSpan, 'attributes'>
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
  }[]
}

/** A collector that listens. */
export async function startCollector() {
  const requests: { readonly path: string; readonly headers: NodeJS.Dict<string | string[]>; readonly body: string }[] =
    []
  const { promise: freed, resolve: free } = Promise.withResolvers<void>()
  const collector = { status: 200, isStuck: false }
  const server = createServer(async (req, res) => {
    requests.push({ path: req.url ?? '', headers: req.headers, body: await text(req) })
    if (collector.isStuck) await freed
    res.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const bodies = () => requests.map(({ body }) => JSON.parse(body) as SentBody)
  return Object.assign(collector, {
    url: `http://127.0.0.1:${port}`,
    requests,
    /** Answers what it was stuck with. */
    free() {
      collector.isStuck = false
      free()
    },
    resources: () => bodies().flatMap((body) => body.resourceSpans.map(({ resource }) => factsIn(resource))),
    spans: () =>
      bodies().flatMap((body) => body.resourceSpans.flatMap((each) => each.scopeSpans.flatMap((s) => s.spans))),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}

/** The attributes as a plain object. */
export function factsIn({ attributes }: Pick<SentSpan, 'attributes'>): Record<string, string | undefined> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value['stringValue'] ?? value['intValue']]))
}
