import { createToken } from '../access/tokens.ts'
import { GatewayError } from '../errors.ts'
import type { CommandContext, CommonOptions } from './context.ts'
import { EXIT } from './exit-codes.ts'
import { paintFor } from './terminal.ts'

/** What `tooldex token create --print-only` takes. */
export interface PrintTokenOptions extends Pick<CommonOptions, 'json'> {
  readonly name: string
  readonly project?: readonly string[]
  readonly server?: readonly string[]
  readonly readOnly?: boolean
  readonly expires?: string
}

/** `tooldex token create --print-only`: makes a secret, shows it once, and gives the line for the configuration. */
export function printToken(options: PrintTokenOptions, { terminal }: CommandContext): number {
  if (options.name.trim() === '') throw new GatewayError('INVALID_ARGUMENTS', { reason: 'a token needs a name' })
  if (options.expires !== undefined && Number.isNaN(Date.parse(options.expires))) {
    throw new GatewayError('INVALID_ARGUMENTS', { reason: '--expires takes a date such as 2027-01-31' })
  }
  const { secret, hash } = createToken()
  const entry = {
    name: options.name.trim(),
    sha256: hash,
    ...(options.project !== undefined && { projects: options.project }),
    ...(options.server !== undefined && { servers: options.server }),
    ...(options.readOnly === true && { readOnly: true }),
    ...(options.expires !== undefined && { expires: options.expires }),
  }
  if (options.json === true) {
    terminal.out(`${JSON.stringify({ secret, config: entry })}\n`)
    return EXIT.ok
  }
  const paint = paintFor(terminal)
  terminal.out(`  ${paint.dim('token')}    ${secret}   ${paint.dim('(shown once)')}\n`)
  terminal.out(`  ${paint.dim('config')}   add to "tokens" in tooldex.json:\n\n    ${JSON.stringify(entry)}\n`)
  return EXIT.ok
}
