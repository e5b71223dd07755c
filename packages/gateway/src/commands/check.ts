import type { CommandContext } from './gateway/context.ts'
import type { CommonOptions } from './terminal/command-options.ts'
import { EXIT } from './terminal/exit-codes.ts'
import { loadConfigFile, withModel } from './gateway/load-config-file.ts'
import { counted } from './terminal/terminal.ts'

/** `tooldex check`: validates a configuration without starting anything. The caller reports problems. */
export async function check(options: CommonOptions, context: CommandContext): Promise<number> {
  const { terminal } = context
  const loaded = await loadConfigFile(options, context)
  const { config, remarks = [] } = loaded
  for (const remark of remarks) terminal.err(`${remark}\n`)
  const counts = await withModel(loaded, context, ({ servers, projects, endpoints, tokens }) => ({
    servers: servers.length,
    projects: projects.size,
    endpoints: endpoints.size,
    tokens: tokens.size,
  }))
  if (options.json === true) terminal.out(`${JSON.stringify({ valid: true, file: config.path, ...counts })}\n`)
  else {
    const facts = Object.entries(counts).map(([noun, count]) => counted(count, noun.slice(0, -1)))
    terminal.out(`${config.path ?? 'No file; the stored configuration'} is valid: ${facts.join(', ')}\n`)
  }
  return EXIT.ok
}
