import { resolve } from 'node:path'
import type { ScanReport } from '@tooldex/contract/admin'
import { dataPaths } from '../../config/data-paths.ts'
import { scannedServers } from '../../admin/routes/findings.ts'
import { GatewayError } from '../../errors.ts'
import { inSlices } from '../../in-slices.ts'
import { isAtLeast } from '../../trust/scanner/finding.ts'
import { scanServers } from '../../trust/scanner/scan-servers.ts'
import { AdminClient } from '../admin/admin-client.ts'
import type { CommandContext, CommandGateway } from '../gateway/context.ts'
import { ensureTools } from '../gateway/ensure-tools.ts'
import { loadConfigFile } from '../gateway/load-config-file.ts'
import { findRunningGateway } from '../gateway/running-gateway.ts'
import type { CommonOptions } from '../terminal/command-options.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { readScanFile } from './scan-file.ts'
import { sarifOf } from './sarif.ts'
import { showFindings } from './show-findings.ts'

/** Options of `tooldex scan`. */
export interface ScanCommandOptions extends CommonOptions {
  readonly server?: string
  readonly sarif?: boolean
}

/** A report, and whether its servers are files. */
export interface CommandReport extends ScanReport {
  readonly files: readonly string[]
}

/**
 * `tooldex scan`: looks for hostile texts in files, or in what the servers offer. Exit code 1 if a person should look at
 * something.
 */
export async function scan(
  files: readonly string[],
  options: ScanCommandOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context
  if (options.json === true && options.sarif === true) {
    throw new GatewayError('INVALID_ARGUMENTS', { reason: '--json and --sarif exclude each other' })
  }
  if (files.length > 0 && options.server !== undefined) {
    throw new GatewayError('INVALID_ARGUMENTS', {
      reason: '--server chooses among the servers of the gateway; files have none',
    })
  }
  const report = files.length > 0 ? await scanFiles(files, context) : await scanOffered(options, context)
  if (options.sarif === true) terminal.out(`${JSON.stringify(sarifOf(report, context.version), null, 2)}\n`)
  else if (options.json === true) terminal.out(`${JSON.stringify(report)}\n`)
  else terminal.out(`${showFindings(report, terminal).join('\n')}\n`)
  return report.findings.some(({ severity }) => isAtLeast(severity, 'hold')) ? EXIT.failed : EXIT.ok
}

async function scanFiles(files: readonly string[], context: CommandContext): Promise<CommandReport> {
  const read = files.map((file) => readScanFile(file, resolve(context.environment.cwd, file)))
  const scanned = read.flatMap(({ servers }) => servers)
  const own = await inSlices(scanServers(scanned))
  // A configuration names servers; what they offer is known when they are asked.
  const reports = [own]
  for (const { config } of read) {
    if (config !== undefined) reports.push(await scanConfigured(config, context))
  }
  return {
    servers: sum(reports.map(({ servers }) => servers)),
    texts: sum(reports.map(({ texts }) => texts)),
    accepted: sum(reports.map(({ accepted }) => accepted)),
    findings: reports.flatMap(({ findings }) => [...findings]),
    files,
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

/** Starts the servers of a configuration on a data folder of their own, and scans what they offer. */
async function scanConfigured(config: string, context: CommandContext): Promise<ScanReport> {
  const { withTemporaryFolder } = await import('./scan-file.ts')
  return withTemporaryFolder((data) => scanLocally({ config, data }, context))
}

async function scanOffered(options: ScanCommandOptions, context: CommandContext): Promise<CommandReport> {
  const loaded = await loadConfigFile(options, context)
  const running = await findRunningGateway(dataPaths(loaded.config.dataDir).runRecord, context.fetch, context.version)
  if (running?.uses(loaded.config.database) !== true) return { ...(await scanLocally(options, context)), files: [] }
  const client = new AdminClient((request) => running.send(request), true)
  const query = options.server === undefined ? {} : { server: options.server }
  return { ...(await client.ask('listFindings', { query })), files: [] }
}

/** Scans the last known lists; servers that were never listed are started for it. */
async function scanLocally(options: ScanCommandOptions, context: CommandContext): Promise<ScanReport> {
  const loaded = await loadConfigFile(options, context)
  const { withLocalGateway } = await import('../gateway/open-gateway.ts')
  return withLocalGateway(loaded, context, (gateway) => scanGateway(gateway, options, context))
}

async function scanGateway(
  gateway: CommandGateway,
  { server }: ScanCommandOptions,
  context: CommandContext,
): Promise<ScanReport> {
  const { acceptedFindings, servers } = gateway.models.current()
  if (server !== undefined && !servers.some(({ id }) => id === server)) {
    throw new GatewayError('SERVER_NOT_FOUND', { server })
  }
  await ensureTools(gateway, context)
  const accepted = acceptedFindings === undefined ? {} : { accepted: acceptedFindings }
  const only = server === undefined ? {} : { only: server }
  const report = await inSlices(
    scanServers(scannedServers(gateway.catalog.snapshot(), gateway.held()), { ...accepted, ...only }),
  )
  return { ...report, findings: [...report.findings] }
}
