import type { AcceptedFinding } from '@tooldex/contract'
import type { Steps } from '../../in-slices.ts'
import { fingerprintOf, withoutAccepted } from './accepted.ts'
import type { Finding } from './finding.ts'
import { PeerIndex } from './imitation.ts'
import { scanDefinition, scanText } from './scan.ts'

type Definition = Readonly<Record<string, unknown>>

/** What a server offers to models and people. */
export interface ScannedServer {
  readonly id: string
  readonly instructions?: string
  readonly tools: Iterable<Definition>
  readonly prompts?: Iterable<Definition>
  readonly resources?: Iterable<Definition>
  readonly resourceTemplates?: Iterable<Definition>
}

/** A finding and where it was found. */
export interface ServerFinding extends Finding {
  readonly server: string
  readonly kind: 'tool' | 'prompt' | 'resource' | 'resource template' | 'instructions'
  /** Empty for instructions. */
  readonly name: string
  readonly fingerprint: string
}

/** What was found in the servers that were scanned. */
export interface ServersScan {
  readonly servers: number
  readonly texts: number
  /** Findings that were left out because they were accepted. */
  readonly accepted: number
  readonly findings: readonly ServerFinding[]
}

/** Scans servers beside each other, one definition a step. */
export function* scanServers(
  servers: readonly ScannedServer[],
  options: { readonly accepted?: ReadonlyMap<string, readonly AcceptedFinding[]>; readonly only?: string } = {},
): Steps<ServersScan> {
  const chosen = options.only === undefined ? servers : servers.filter(({ id }) => id === options.only)
  const peers = new PeerIndex()
  for (const { id, tools } of servers) {
    for (const tool of tools) {
      peers.add({ server: id, tool })
      yield
    }
  }
  const findings: ServerFinding[] = []
  let [texts, accepted] = [0, 0]
  for (const server of chosen) {
    const known = options.accepted?.get(server.id)
    const add = (kind: ServerFinding['kind'], name: string, found: readonly Finding[]): void => {
      const rest = withoutAccepted(name, found, known)
      texts++
      accepted += found.length - rest.length
      findings.push(
        ...rest.map((each) => ({ server: server.id, kind, name, fingerprint: fingerprintOf(name, each), ...each })),
      )
    }
    if (server.instructions !== undefined) add('instructions', '', scanText(server.instructions, 'definition'))
    for (const tool of server.tools) {
      add('tool', nameOf(tool), [...scanDefinition(tool), ...peers.imitationOf(tool, server.id)])
      yield
    }
    for (const [kind, definitions] of [
      ['prompt', server.prompts],
      ['resource', server.resources],
      ['resource template', server.resourceTemplates],
    ] as const) {
      for (const definition of definitions ?? []) {
        add(kind, nameOf(definition), scanDefinition(definition))
        yield
      }
    }
  }
  return { servers: chosen.length, texts, accepted, findings }
}

function nameOf({ name, uri, uriTemplate }: Definition): string {
  const [first = ''] = [name, uri, uriTemplate].filter((each) => typeof each === 'string')
  return first
}
