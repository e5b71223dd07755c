import { readFileSync } from 'node:fs'
import { type Environment, readEnvironment } from '../config/environment.ts'
import { GatewayError } from '../errors.ts'
import { packageFile } from '../package-files.ts'
import type { CommandContext, Signals } from './gateway/context.ts'
import { runProgram } from './program.ts'
import { EXIT } from './terminal/exit-codes.ts'
import { safeForTerminal, type Terminal } from './terminal/terminal.ts'

const DEFAULT_WIDTH = 120

/** Runs the program in this process and returns its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  // A reader that closes the pipe, such as `head`, is not a failure.
  process.stdout.on('error', () => process.exit(0))
  const environment = environmentOrProblem()
  if (environment === undefined) return EXIT.usage
  const context: CommandContext = {
    environment,
    terminal: processTerminal(environment.variables['NO_COLOR'] !== undefined),
    version: packageVersion(),
    loadAssemble: async () => (await import('../assemble.ts')).assemble,
    fetch,
    now: Date.now,
    startedAt: performance.timeOrigin,
    signals: processSignals(),
    streams: { input: process.stdin, output: process.stdout },
    program: [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
  }
  const exitCode = await runProgram(args, context)
  await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))))
  return exitCode
}

/** Writes why the environment cannot be used, if so. */
function environmentOrProblem(): Environment | undefined {
  try {
    return readEnvironment()
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    process.stderr.write(`${error.message}\n`)
    return undefined
  }
}

function processTerminal(plain: boolean): Terminal {
  const { stdout, stderr } = process
  const colours = !plain && stdout.isTTY && stdout.hasColors()
  // A file or a pipe gets the bytes as they are: there they are data.
  const shown = (stream: NodeJS.WriteStream, part: string): string =>
    stream.isTTY ? safeForTerminal(part, { colours }) : part
  return {
    out: (part) => void stdout.write(shown(stdout, part)),
    err: (part) => void stderr.write(shown(stderr, part)),
    draw: (part) => void stderr.write(part),
    // A pipe has no width: nothing is cut there.
    width: stdout.isTTY ? (stdout.columns ?? DEFAULT_WIDTH) : Number.POSITIVE_INFINITY,
    colours,
    isScreen: stdout.isTTY,
    interactive: stderr.isTTY,
  }
}

/** The first signal stops the program gracefully, the second ends waiting, the third ends the process. */
function processSignals(): Signals {
  const now = Promise.withResolvers<void>()
  return {
    stop: () =>
      new Promise((resolve) => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) {
          process.once(signal, () => {
            resolve(signal)
            process.once(signal, () => {
              now.resolve()
              process.once(signal, () => process.exit(1))
            })
          })
        }
      }),
    stopNow: () => now.promise,
    onReload(listener) {
      process.on('SIGHUP', listener)
      return () => void process.off('SIGHUP', listener)
    },
  }
}

function packageVersion(): string {
  const manifest = readFileSync(packageFile('package.json'), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
