import { createHash } from 'node:crypto'
import type { CatalogServer } from './catalog.ts'
import { uiResourceOf } from './tool-ui.ts'

const SCHEME = 'tooldex+'
const UI_SCHEME = 'ui://'

/** The server behind an exposed URI, and its own URI. */
export interface ResourceTarget {
  readonly server: CatalogServer
  readonly uri: string
}

/**
 * Maps resource URIs of several servers. A URI of one server stays unchanged. A URI of several servers is qualified for each
 * of them (`tooldex+<server>:<uri>`) and is ambiguous without that. The qualified form of any URI always works.
 */
export class ResourceUris {
  readonly #servers: readonly CatalogServer[]
  readonly #labels: ReadonlyMap<string, CatalogServer>
  readonly #labelOf: ReadonlyMap<string, string>
  /** The servers that offer a URI or a template. */
  readonly #offers = new Map<string, Set<CatalogServer>>()
  readonly #templates: readonly { readonly server: CatalogServer; readonly template: UriTemplate }[]

  /** @param servers the servers that the caller may use */
  constructor(servers: readonly CatalogServer[]) {
    this.#servers = servers
    this.#labelOf = labelsFor(servers)
    this.#labels = new Map(servers.map((server) => [this.#labelOf.get(server.id) ?? '', server]))
    const templates: { server: CatalogServer; template: UriTemplate }[] = []
    for (const server of servers) {
      for (const uri of texts(server.resources, 'uri')) this.#offer(uri, server)
      for (const text of texts(server.resourceTemplates, 'uriTemplate')) {
        this.#offer(text, server)
        templates.push({ server, template: new UriTemplate(text) })
      }
    }
    this.#templates = templates
  }

  /** The exposed URI of a resource or template, also of one that the server never listed. */
  exposedUri(server: CatalogServer, uri: string): string {
    return this.#plainTarget(uri) === server ? uri : this.#qualified(server, uri)
  }

  /** What clients mean by a URI; `undefined` where no server, or more than one, could be meant. */
  targetOf(uri: string): ResourceTarget | undefined {
    const qualified = this.#parseQualified(uri)
    if (qualified !== undefined) return qualified
    const server = this.#plainTarget(uri)
    return server === undefined ? undefined : { server, uri }
  }

  #offer(uri: string, server: CatalogServer): void {
    const offering = this.#offers.get(uri) ?? new Set<CatalogServer>()
    this.#offers.set(uri, offering.add(server))
  }

  /** The one server that a URI means as it is. */
  #plainTarget(uri: string): CatalogServer | undefined {
    // A server must not offer what reads like another server's qualified URI.
    if (uri.startsWith(SCHEME)) return undefined
    const offering = this.#offers.get(uri)
    if (offering !== undefined) return only(offering)
    return this.#byTool(uri) ?? this.#byTemplate(uri)
  }

  /** Resources that show the results of a tool need not be listed: the tool names them. */
  #byTool(uri: string): CatalogServer | undefined {
    if (!uri.startsWith(UI_SCHEME)) return undefined
    const isShown = ({ tools }: CatalogServer): boolean =>
      [...tools.values()].some(({ definition }) => uiResourceOf(definition) === uri)
    return only(this.#servers.filter(isShown))
  }

  /** Of the templates that fit, the one that fixes most; where nothing fits, the only server that has resources at all. */
  #byTemplate(uri: string): CatalogServer | undefined {
    let best = -1
    let fitting = new Set<CatalogServer>()
    for (const { server, template } of this.#templates) {
      if (template.literalLength < best || !template.matches(uri)) continue
      if (template.literalLength > best) fitting = new Set()
      best = template.literalLength
      fitting.add(server)
    }
    return fitting.size > 0 ? only(fitting) : this.#onlyWithResources()
  }

  #onlyWithResources(): CatalogServer | undefined {
    if (this.#servers.length === 1) return this.#servers[0]
    return only(
      this.#servers.filter(({ resources, resourceTemplates }) => resources.length + resourceTemplates.length > 0),
    )
  }

  #qualified(server: CatalogServer, uri: string): string {
    return `${SCHEME}${this.#labelOf.get(server.id) ?? labelOf(server.id)}:${uri}`
  }

  #parseQualified(uri: string): ResourceTarget | undefined {
    if (!uri.startsWith(SCHEME)) return undefined
    const colon = uri.indexOf(':')
    const server = colon < 0 ? undefined : this.#labels.get(uri.slice(SCHEME.length, colon))
    return server === undefined ? undefined : { server, uri: uri.slice(colon + 1) }
  }
}

function only(servers: Iterable<CatalogServer>): CatalogServer | undefined {
  const [first, second] = servers
  return second === undefined ? first : undefined
}

function texts(items: readonly Readonly<Record<string, unknown>>[], field: string): string[] {
  return items.map((item) => item[field]).filter((text) => typeof text === 'string')
}

/** Server id → what stands for it in a scheme. */
function labelsFor(servers: readonly CatalogServer[]): Map<string, string> {
  return new Map(servers.map(({ id }) => [id, labelOf(id)]))
}

/**
 * A server id as part of a URI scheme. Schemes know few signs and no case, and clients write them in lower case: an id
 * that is anything else gets a hash, so that two never become one.
 */
function labelOf(serverId: string): string {
  const plain = serverId.toLowerCase().replace(/[^a-z0-9.-]/gu, '-')
  if (plain === serverId && !HASH_ENDING.test(plain)) return plain
  return `${plain}-${createHash('sha256').update(serverId).digest('hex').slice(0, 16)}`
}

/** An id that looks hashed is hashed, too: otherwise it could imitate the label of another server. */
const HASH_ENDING = /-[0-9a-f]{16}$/u

const EXPRESSION = /\{[^{}]*\}/u

/** A URI template (RFC 6570) that can check whether a URI may come from it. */
export class UriTemplate {
  /** The fixed parts between the expressions. */
  readonly #literals: readonly string[]

  constructor(text: string) {
    this.#literals = text.split(EXPRESSION)
  }

  /** The length of the fixed parts: the longer, the more specific the template. */
  get literalLength(): number {
    return this.#literals.reduce((sum, literal) => sum + literal.length, 0)
  }

  /**
   * Whether the URI may come from the template: its fixed parts occur in order, the first and last at the ends. The text in
   * between is not checked, so that no template can make matching slow.
   */
  matches(uri: string): boolean {
    const [first = '', ...others] = this.#literals
    const last = others.pop()
    if (last === undefined) return uri === first
    if (!uri.startsWith(first) || !uri.endsWith(last)) return false
    const end = uri.length - last.length
    let at = first.length
    for (const literal of others) {
      const found = uri.indexOf(literal, at)
      if (found < 0) return false
      at = found + literal.length
    }
    return at <= end
  }
}
