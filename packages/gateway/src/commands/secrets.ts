import type { CommandContext } from './gateway/context.ts'
import type { CommonOptions } from './terminal/command-options.ts'
import { EXIT } from './terminal/exit-codes.ts'
import { loadConfigFile } from './gateway/load-config-file.ts'
import { commandAct, openAuditLog } from './gateway/open-audit-log.ts'
import { openCommandLogger } from './gateway/open-gateway.ts'
import { openConfiguredStore } from './gateway/open-store.ts'
import { counted } from './terminal/terminal.ts'

/** `tooldex secrets rotate`: works beside a running gateway, which reads the new key from the file. */
export async function rotateSecrets(options: CommonOptions, context: CommandContext): Promise<number> {
  const { config } = await loadConfigFile(options, context)
  const store = await openConfiguredStore(config, context)
  try {
    const rotated = await store.rotateSecrets()
    const audit = await openAuditLog(config, store, openCommandLogger('error', context).logger)
    audit.record(commandAct(context, 'rotateSecrets'))
    await audit.stop()
    const text = `  re-encrypted ${counted(rotated.rotated, 'secret')}; keep the old key as long as backups need it`
    context.terminal.out(options.json === true ? `${JSON.stringify(rotated)}\n` : `${text}\n`)
    return EXIT.ok
  } finally {
    await store.close()
  }
}
