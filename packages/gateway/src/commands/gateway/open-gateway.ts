import { type GatewayConfig, isPrivate } from '../../config/gateway-config.ts'
import { type LoadedConfig, modelOf } from '../../config/load-config.ts'
import { onDemand, withLocalAccess } from '../../config/local-access.ts'
import type { MergedConfig } from '../../config/merge-config.ts'
import type { DeclaredConfig } from '../../config/parse-config.ts'
import type { AuditLog } from '../../model/audit.ts'
import { fixedModelSource, type ModelSource } from '../../model/gateway-model.ts'
import type { Store } from '../../model/store.ts'
import { type Logger, openLogger } from '../../telemetry/logger.ts'
import { PrometheusMetrics } from '../../telemetry/metrics.ts'
import { openTracing } from '../../telemetry/open-tracing.ts'
import type { CommandContext, CommandGateway } from './context.ts'
import { openAuditLog } from './open-audit-log.ts'
import { openConfiguredStore } from './open-store.ts'

/** An open gateway, its logger, and the function that closes everything. */
export interface OpenGateway {
  readonly gateway: CommandGateway
  readonly logger: Logger
  readonly audit: AuditLog
  /** Closes everything; never throws. */
  readonly close: () => Promise<void>
}

/** The parts of a gateway that depend on the command. */
export interface GatewayParts {
  readonly config: GatewayConfig
  readonly store: Store
  readonly models: ModelSource
  /** The entries of the configuration file now. */
  readonly declared: () => DeclaredConfig
  readonly inForce?: () => MergedConfig
  readonly log: { readonly logger: Logger; flush(): void }
  /** The hash of the secret in the run record. */
  readonly localHash?: string
  /** The command line that serves one client over stdio; only a gateway that has it writes itself into clients' files. */
  readonly program?: readonly string[]
  /** Whether to collect metrics and traces. */
  readonly isServing: boolean
}

/** A logger to standard error; readable on a terminal, else JSON lines. */
export function openCommandLogger(level: GatewayConfig['logLevel'], { terminal }: CommandContext) {
  return openLogger({ level, pretty: terminal.interactive, colours: terminal.colours && terminal.interactive })
}

/** Assembles a gateway with its logger, metrics, traces and audit log. Closing it closes the store. */
export async function openGateway(parts: GatewayParts, context: CommandContext): Promise<OpenGateway> {
  const { config, store, models, declared, inForce, localHash, log, program, isServing } = parts
  const { logger } = log
  const assemble = await context.loadAssemble()
  const metrics = new PrometheusMetrics({ processFigures: isServing })
  const audit = await openAuditLog(config, store, logger)
  metrics.observe({ audit: () => audit.backlog() })
  const { version, fetch } = context
  const traces = await openTracing(isServing ? config.tracing : undefined, { version, logger, fetch })
  const watchdog = isServing ? await openWatchdog(logger, context) : undefined
  const isShared = isServing && store.limits !== undefined
  const shared = isShared ? await import('../../limits/open-shared-limits.ts') : undefined
  const gateway = assemble({
    config,
    store,
    ...(shared !== undefined && { openSharedLimits: shared.openSharedLimits }),
    models,
    declared,
    ...(inForce !== undefined && { inForce }),
    ...(localHash !== undefined && { localHash }),
    logger,
    metrics,
    audit,
    tracing: traces.tracing,
    ...(watchdog !== undefined && { activities: watchdog }),
    version,
    startedAt: context.startedAt,
    environment: context.environment.variables,
    ...(program !== undefined && {
      machine: {
        environment: context.environment,
        program,
        dataDir: config.dataDir,
        isPrivate: isPrivate(config.listen),
      },
    }),
  })
  return {
    gateway,
    logger,
    audit,
    close: async () => {
      await gateway.stop().catch((err: unknown) => logger.error({ err }, 'the gateway did not stop cleanly'))
      await Promise.all([audit.stop(), traces.stop(), watchdog?.stop()])
      await store.close().catch((err: unknown) => logger.error({ err }, 'the database was not closed cleanly'))
      log.flush()
    },
  }
}

async function openWatchdog(logger: Logger, { terminal }: CommandContext) {
  const { Watchdog } = await import('../../telemetry/watchdog.ts')
  return new Watchdog({ logger, pretty: terminal.interactive })
}

/** Uses a gateway in this process that does not listen and starts a server only for a call. */
export async function withLocalGateway<Result>(
  loaded: LoadedConfig,
  context: CommandContext,
  use: (gateway: CommandGateway) => Promise<Result>,
): Promise<Result> {
  const log = openCommandLogger('error', context)
  const store = await openConfiguredStore(loaded.config, context, log.logger)
  const { model } = modelOf(loaded, store.current())
  const models = withLocalAccess(fixedModelSource(onDemand(model)))
  const { config, declared } = loaded
  const parts = { config, store, models, declared: () => declared, log, isServing: false }
  const { gateway, close } = await openGateway(parts, context)
  try {
    await gateway.startServers()
    return await use(gateway)
  } finally {
    await close()
  }
}
