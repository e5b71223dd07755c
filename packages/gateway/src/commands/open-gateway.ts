import { JsonlAuditLog } from '../audit/jsonl-audit-log.ts'
import type { ModelSource } from '../access/model.ts'
import { dataPaths } from '../config/data-paths.ts'
import type { GatewayConfig } from '../config/gateway-config.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { onDemand, withLocalAccess } from '../config/local-access.ts'
import { fixedModelSource } from '../config/fixed-model-source.ts'
import { type Logger, openLogger } from '../telemetry/logger.ts'
import { PrometheusMetrics } from '../telemetry/metrics.ts'
import { openTracing } from '../telemetry/open-tracing.ts'
import type { CommandContext } from './context.ts'
import type { CommandGateway } from './gateway.ts'

/** A gateway and what has to be closed with it. */
export interface OpenGateway {
  readonly gateway: CommandGateway
  readonly logger: Logger
  /** Ends everything; never throws. */
  readonly close: () => Promise<void>
}

/** A logger for a command: to standard error, for people where one is looking. */
export function openCommandLogger(level: GatewayConfig['logLevel'], { terminal }: CommandContext) {
  return openLogger({ level, pretty: terminal.interactive, colours: terminal.colours && terminal.interactive })
}

/** Puts a gateway together with its log, figures, traces and audit log. Only who serves has figures and traces to tell. */
export async function openGateway(
  config: GatewayConfig,
  models: ModelSource,
  log: { readonly logger: Logger; flush(): void },
  context: CommandContext,
  isServing = true,
): Promise<OpenGateway> {
  const { logger } = log
  const assemble = await context.loadAssemble()
  const metrics = new PrometheusMetrics({ processFigures: isServing })
  const audit = new JsonlAuditLog({
    path: dataPaths(config.dataDir).audit,
    onProblem: (err) => logger.error({ err }, 'audit entries cannot be written; they are kept until they can'),
  })
  const { version, fetch } = context
  const traces = await openTracing(isServing ? config.tracing : undefined, { version, logger, fetch })
  const gateway = assemble({
    config,
    models,
    logger,
    metrics,
    audit,
    tracing: traces.tracing,
    version,
    environment: context.environment.variables,
  })
  return {
    gateway,
    logger,
    close: async () => {
      await gateway.stop().catch((err: unknown) => logger.error({ err }, 'the gateway did not stop cleanly'))
      await Promise.all([audit.stop(), traces.stop()])
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
  const { gateway, close } = await openGateway(loaded.config, models, log, context, false)
  try {
    await gateway.startServers()
    return await use(gateway)
  } finally {
    await close()
  }
}
