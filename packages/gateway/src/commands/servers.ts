import { LastGoodFiles, withListFiles } from '../catalog/last-good-files.ts'
import { dataPaths } from '../config/data-paths.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { originOf } from '../model/last-good.ts'
import type { CommandContext } from './gateway/context.ts'
import { loadConfigFile, withModel } from './gateway/load-config-file.ts'
import { findRunningGateway } from './gateway/running-gateway.ts'
import { readServerStates, type ServerReport } from './gateway/server-states.ts'
import type { CommonOptions } from './terminal/command-options.ts'
import { EXIT } from './terminal/exit-codes.ts'
import { clean, columns, LONGEST_NAME, pad, paintFor, type Terminal, truncate } from './terminal/terminal.ts'

/** A server without a running gateway. */
type KnownServer = Pick<ServerReport, 'id' | 'name' | 'tools'> & Partial<ServerReport>

/** `tooldex servers`: the states of the servers of a running gateway; without one, their stored lists. */
export async function servers(options: CommonOptions, context: CommandContext): Promise<number> {
  const { terminal } = context
  const loaded = await loadConfigFile(options, context)
  const paths = dataPaths(loaded.config.dataDir)
  const running = await findRunningGateway(paths.runRecord, context.fetch, context.version)
  const reports =
    running === undefined ? await lastKnown(loaded, paths.lastGood, context) : readServerStates(paths.serverStates)
  if (options.json === true) {
    terminal.out(`${JSON.stringify({ running: running !== undefined, servers: reports })}\n`)
    return EXIT.ok
  }
  const head = running === undefined ? 'no gateway is running; showing the last known lists' : running.url
  terminal.out(`${[`  ${paintFor(terminal).dim(head)}`, ...table(reports, terminal)].join('\n')}\n`)
  return EXIT.ok
}

function lastKnown(loaded: LoadedConfig, folder: string, context: CommandContext): Promise<KnownServer[]> {
  return withModel(loaded, context, ({ servers: definitions }, store) => {
    const files = new LastGoodFiles(folder)
    const kept = store === undefined ? files : withListFiles(store.lastGood, files)
    return Promise.all(
      definitions.map(async (definition) => {
        const known = await kept.load(definition.id)
        const tools = known?.origin === originOf(definition) ? known.lists.tools.length : 0
        return { id: definition.id, name: definition.name, tools }
      }),
    )
  })
}

function table(reports: readonly KnownServer[], terminal: Terminal): string[] {
  if (reports.length === 0) return ['  no servers yet; add one: tooldex server add <id> -- <command…>']
  const paint = paintFor(terminal)
  const tint = { running: paint.green, failed: paint.red, 'needs-login': paint.yellow, held: paint.yellow }
  const shown = (id: string): string => truncate(clean(id), LONGEST_NAME)
  const widest = Math.max(...reports.map(({ id }) => columns(shown(id))))
  return reports.map((report) => {
    const state = report.state ?? '-'
    const shade = (tint as Readonly<Record<string, (text: string) => string>>)[state] ?? paint.dim
    const start = `  ${pad(shown(report.id), widest)}  ${shade(state.padEnd(11))}  ${String(report.tools).padStart(5)} tools`
    const unknown = report.toolsUnknown === undefined ? undefined : `tools unknown: ${report.toolsUnknown}`
    const error = report.lastError === undefined ? '' : `${report.lastError.code}: ${report.lastError.message}`
    const note = report.loginUrl === undefined ? (unknown ?? error) : `log in at ${report.loginUrl}`
    return `${start}  ${paint.dim(truncate(clean(note), Math.max(20, terminal.width - widest - 32)))}`.trimEnd()
  })
}
