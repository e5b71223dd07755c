import { JsonlAuditLog } from '../audit/jsonl-audit-log.ts'
import type { ModelSource } from '../access/model.ts'
import { dataPaths } from '../config/data-paths.ts'
import type { GatewayConfig } from '../config/gateway-config.ts'
import { type LoadedConfig, findConfigFile, loadConfig } from '../config/load-config.ts'
import { LOCAL_PRINCIPAL, localEndpointId, onDemand, withLocalAccess } from '../config/local-access.ts'
import { fixedModelSource } from '../config/model-source.ts'
import { type Logger, openLogger } from '../telemetry/logger.ts'
import { meteredAuditLog, PrometheusMetrics } from '../telemetry/metrics.ts'
import type { CommandContext, CommonOptions } from './context.ts'
import type { CommandGateway } from './gateway.ts'

/** A gateway and what has to be closed with it. */
export interface OpenGateway {
  readonly gateway: CommandGateway
  readonly logger: Logger
  /** Ends everything; never throws. */
  close(): Promise<void>
}

/** The configuration that the command line names. */
export async function loadGiven(options: CommonOptions, { environment }: CommandContext): Promise<LoadedConfig> {
  const path = await findConfigFile(options.config, environment)
  return loadConfig(path, environment, options.data === undefined ? {} : { dataDir: options.data })
}

/** A logger for a command: to standard error, for people where one is looking. */
export function openCommandLogger(level: GatewayConfig['logLevel'], { terminal }: CommandContext) {
  return openLogger({ level, pretty: terminal.interactive, colours: terminal.colours && terminal.interactive })
}

/** Puts a gateway together with its log, figures and audit log. */
export async function openGateway(
  config: GatewayConfig,
  models: ModelSource,
  log: { readonly logger: Logger; flush(): void },
  context: CommandContext,
): Promise<OpenGateway> {
  const { logger } = log
  const assemble = await context.loadAssemble()
  const metrics = new PrometheusMetrics({ processFigures: true })
  const audit = new JsonlAuditLog({
    path: dataPaths(config.dataDir).audit,
    onProblem: (err) => logger.error({ err }, 'audit entries cannot be written; they are kept until they can'),
  })
  const gateway = assemble({
    config,
    models,
    dataDir: config.dataDir,
    logger,
    metrics,
    audit: meteredAuditLog(audit, metrics),
    version: context.version,
  })
  metrics.observe({
    servers: () => gateway.pool.all().map((server) => server.status()),
    toolCount: () => gateway.catalog.snapshot().tools.size,
  })
  return {
    gateway,
    logger,
    async close() {
      await gateway.stop().catch((err: unknown) => logger.error({ err }, 'the gateway did not stop cleanly'))
      await audit.stop()
      log.flush()
    },
  }
}

/** Uses a gateway that does not listen and starts servers only when one is called. */
export async function withQuietGateway<Result>(
  loaded: LoadedConfig,
  context: CommandContext,
  use: (gateway: CommandGateway) => Promise<Result>,
): Promise<Result> {
  const models = withLocalAccess(fixedModelSource(onDemand(loaded.model)))
  const log = openCommandLogger('error', context)
  const { gateway, close } = await openGateway(loaded.config, models, log, context)
  try {
    return await use(gateway)
  } finally {
    await close()
  }
}

/** Who commands are, and where they ask. */
export function localCaller(endpointId?: string) {
  return { principal: LOCAL_PRINCIPAL, endpointId: localEndpointId(endpointId) }
}
