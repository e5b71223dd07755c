import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../../packages/gateway/src/main.ts', import.meta.url))

/** A Search API in a process of its own. */
export interface SearchApiProcess extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly token: string
  /** Ends it with SIGKILL. */
  kill(): Promise<void>
}

/** Starts the service, on a free port unless one is given. */
export async function startSearchApi(
  options: {
    readonly port?: number
    readonly token?: string
    /** Further arguments and environment variables. */
    readonly args?: readonly string[]
    readonly variables?: Readonly<Record<string, string>>
  } = {},
): Promise<SearchApiProcess> {
  const child = spawn(
    process.execPath,
    [
      '--conditions=tooldex-source',
      PROGRAM,
      'search-api',
      '--port',
      String(options.port ?? 0),
      '--json',
      ...(options.args ?? []),
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'] ?? '',
        ...options.variables,
        ...(options.token !== undefined && { TOOLDEX_SEARCH_API_TOKEN: options.token }),
      },
    },
  )
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  const [line] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])) as [unknown]
  const { url, token = options.token } = JSON.parse(String(line)) as { url: string; token?: string }
  return { url, port: Number(new URL(url).port), token: token ?? '', kill, [Symbol.asyncDispose]: kill }
}
