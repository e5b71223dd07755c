import { text } from 'node:stream/consumers'
import { cleanLines } from '@tooldex/http-kit/clean-text'
import { isRecord } from '@tooldex/http-kit/json'
import { ERROR_META_KEY } from '../calls/mistake-result.ts'
import { dataPaths } from '../config/data-paths.ts'
import { localCaller } from '../config/local-access.ts'
import { GatewayError } from '../errors.ts'
import type { CommandContext } from './gateway/context.ts'
import type { CommonOptions } from './terminal/command-options.ts'
import { EXIT, exitCodeOfCode } from './terminal/exit-codes.ts'
import { loadConfigFile } from './gateway/load-config-file.ts'
import { findRunningGateway } from './gateway/running-gateway.ts'

type Result = Readonly<Record<string, unknown>>

/** Options of `tooldex call`. */
export interface CallCommandOptions extends CommonOptions {
  readonly endpoint?: string
}

/** `tooldex call`: calls one tool through a running gateway, or starts its server for the call. */
export async function call(
  tool: string,
  json: string | undefined,
  options: CallCommandOptions,
  context: CommandContext,
): Promise<number> {
  const args = readArguments(json === '-' ? await text(context.streams.input) : (json ?? '{}'))
  const loaded = await loadConfigFile(options, context)
  const running = await findRunningGateway(dataPaths(loaded.config.dataDir).runRecord, context.fetch, context.version)
  const outcome =
    running === undefined
      ? await (await import('./gateway/open-gateway.ts')).withLocalGateway(loaded, context, (gateway) =>
          gateway.call(tool, args, localCaller(options.endpoint)).then(asResult, asFailure),
        )
      : await running
          .callTool('tool_execute', { toolKey: tool, arguments: args }, options.endpoint)
          .then((answer) => ('error' in answer ? answer : asResult(answer.result)))
  return print(outcome, options, context)
}

type Outcome = { readonly result: Result } | { readonly error: { readonly code: string; readonly message: string } }

const asResult = (result: Result): Outcome => ({ result })

/** Turns errors of the gateway or a server into an outcome; rethrows all others. */
function asFailure(error: unknown): Outcome {
  if (error instanceof GatewayError) return { error: { code: error.code, message: error.message } }
  if (!(error instanceof Error) || !('rpcCode' in error)) throw error
  return { error: { code: codeOf('data' in error ? error.data : undefined) ?? 'SERVER_REPLY', message: error.message } }
}

function codeOf(data: unknown): string | undefined {
  const code = isRecord(data) ? data['code'] : undefined
  return typeof code === 'string' ? code : undefined
}

function print(outcome: Outcome, { json }: CallCommandOptions, { terminal }: CommandContext): number {
  if ('error' in outcome) {
    if (json === true) terminal.out(`${JSON.stringify(outcome)}\n`)
    else terminal.err(`${terminal.interactive ? cleanLines(outcome.error.message) : outcome.error.message}\n`)
    return outcome.error.code === 'SERVER_REPLY' ? EXIT.failed : exitCodeOfCode(outcome.error.code)
  }
  const { result } = outcome
  const failed = result['isError'] === true
  if (json === true) terminal.out(`${JSON.stringify(result)}\n`)
  else {
    // On a terminal, nothing that a server writes is obeyed; in a file or a pipe its text is data.
    const isShown = failed ? terminal.interactive : terminal.isScreen
    const text = isShown ? cleanLines(readable(result)) : readable(result)
    ;(failed ? terminal.err : terminal.out)(`${text}\n`)
  }
  if (!failed) return EXIT.ok
  const code = codeIn(result)
  return code === undefined ? EXIT.failed : exitCodeOfCode(code)
}

/** The error code in a result of the gateway itself. */
function codeIn(result: Result): string | undefined {
  return codeOf((result['_meta'] as Result | undefined)?.[ERROR_META_KEY])
}

/** Text content as it is; other content by type and size. */
function readable(result: Result): string {
  const blocks = Array.isArray(result['content']) ? (result['content'] as readonly Result[]) : []
  const lines = blocks.map((block) => {
    if (block['type'] === 'text') return String(block['text'])
    const size = typeof block['data'] === 'string' ? `, ${Math.round(block['data'].length * 0.75)} bytes` : ''
    return `[${String(block['type'])} ${kindOf(block)}${size}; use --json to see it]`
  })
  if (lines.length > 0) return lines.join('\n')
  return result['structuredContent'] === undefined
    ? '(no content)'
    : JSON.stringify(result['structuredContent'], null, 2)
}

function kindOf({ mimeType, uri }: Result): string {
  return [mimeType, uri].find((each) => typeof each === 'string') ?? ''
}

function readArguments(json: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    throw new GatewayError('INVALID_ARGUMENTS', {
      reason: `the arguments are not JSON (${error instanceof Error ? error.message : 'unreadable'})`,
      remedy: `Quote them for the shell: '{"title": "Broken link"}'`,
    })
  }
  if (isRecord(value)) return value
  throw new GatewayError('INVALID_ARGUMENTS', { reason: 'the arguments must be a JSON object' })
}
