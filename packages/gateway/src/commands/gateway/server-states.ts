import { isRecord } from '@tooldex/http-kit/json'
import type { ServerStatus } from '../../model/server.ts'
import { readJson, writePrivateJson } from '../../private-files.ts'
import type { CommandGateway } from './context.ts'

const QUIET_MS = 250

/** A server in the output of `tooldex servers`. */
export interface ServerReport extends ServerStatus {
  readonly tools: number
  /** Present if it runs and its tools are unknown: the reason. */
  readonly toolsUnknown?: string
}

/** The state and number of tools of each server. */
export function reportServers(gateway: Pick<CommandGateway, 'pool' | 'catalog'>): ServerReport[] {
  const snapshot = gateway.catalog.snapshot()
  const listed = new Map(snapshot.servers.map((server) => [server.id, server]))
  return gateway.pool.all().map((server) => {
    const { tools, toolsUnknown } = listed.get(server.definition.id) ?? {}
    return { ...server.status(), tools: tools?.size ?? 0, ...(toolsUnknown !== undefined && { toolsUnknown }) }
  })
}

/** A file with the states of the servers that is kept up to date. */
export interface KeptServerStates {
  /** Writes the present states, without waiting for others. */
  readonly write: () => void
  readonly stop: () => void
}

/** Keeps a file with the states of the servers up to date, for `tooldex servers`. */
export function keepServerStates(
  path: string,
  gateway: CommandGateway,
  onProblem: (error: unknown) => void,
): KeptServerStates {
  let timer: NodeJS.Timeout | undefined
  const write = (): void => {
    clearTimeout(timer)
    timer = undefined
    try {
      writePrivateJson(path, { servers: reportServers(gateway) })
    } catch (error) {
      onProblem(error)
    }
  }
  const later = (): void => {
    timer ??= setTimeout(write, QUIET_MS).unref()
  }
  const stops = [gateway.pool.onEvent((event) => event.kind === 'state' && later()), gateway.catalog.onChange(later)]
  write()
  return {
    write,
    stop: () => {
      clearTimeout(timer)
      for (const stop of stops) stop()
    },
  }
}

/** The server states that a running gateway wrote last. */
export function readServerStates(path: string): ServerReport[] {
  const value = readJson(path)
  const servers = isRecord(value) ? value['servers'] : undefined
  return Array.isArray(servers) ? (servers as ServerReport[]) : []
}
