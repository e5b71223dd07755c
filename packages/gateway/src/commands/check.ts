import type { CommandContext, CommonOptions } from './context.ts'
import { EXIT } from './exit-codes.ts'
import { loadGiven } from './load-given.ts'
import { counted } from './terminal.ts'

/** `tooldex check`: says whether a configuration is valid, without starting anything. Problems are told by the caller. */
export async function check(options: CommonOptions, context: CommandContext): Promise<number> {
  const { terminal } = context
  const { config, model } = await loadGiven(options, context)
  const counts = {
    servers: model.servers.length,
    projects: model.projects.size,
    endpoints: model.endpoints.size,
    tokens: model.tokens.size,
  }
  if (options.json === true) terminal.out(`${JSON.stringify({ valid: true, file: config.path, ...counts })}\n`)
  else {
    const facts = Object.entries(counts).map(([noun, count]) => counted(count, noun.slice(0, -1)))
    terminal.out(`${config.path} is valid: ${facts.join(', ')}\n`)
  }
  return EXIT.ok
}
