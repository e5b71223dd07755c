import type { CommandContext, CommonOptions } from './context.ts'
import { EXIT } from './exit-codes.ts'
import { loadGiven } from './load-given.ts'
import { openGivenStore } from './open-store.ts'
import { counted } from './terminal.ts'

/** `tooldex secrets rotate`: works beside a running gateway, which finds the new key in the file. */
export async function rotateSecrets(options: CommonOptions, context: CommandContext): Promise<number> {
  const { config } = await loadGiven(options, context)
  const store = await openGivenStore(config, context)
  try {
    const rotated = await store.rotateSecrets()
    const told = `  ${counted(rotated.rotated, 'secret')} encrypted anew; keep the old key as long as backups need it`
    context.terminal.out(options.json === true ? `${JSON.stringify(rotated)}\n` : `${told}\n`)
    return EXIT.ok
  } finally {
    await store.close()
  }
}
