import type { IncomingMessage } from 'node:http'
import { CONSOLE_PATH, ConsoleFiles } from './console-files.ts'
import type { AreaHandler } from './routes.ts'

/** What an endpoint that is called `console` has below its name. */
const MCP_PATHS: ReadonlySet<string> = new Set(['mcp', 'sse', 'messages'].map((name) => `${CONSOLE_PATH}/${name}`))

/** The console below `/console`; found when it is first asked for. */
export function consoleArea(folder: () => Promise<URL>): AreaHandler {
  let files: Promise<ConsoleFiles> | undefined
  return async (req, res) => {
    if (!isReading(req) || MCP_PATHS.has(pathOf(req))) return false
    files ??= folder().then((found) => new ConsoleFiles(found))
    await (await files).answer(req, res)
    return true
  }
}

/** Leads whoever opens the bare address to the console. Browsers keep what is behind the `#`, so that links sign in. */
export const leadToConsole: AreaHandler = (req, res) => {
  if (!isReading(req) || pathOf(req) !== '/') return false
  res.writeHead(302, { location: `${CONSOLE_PATH}/`, 'cache-control': 'no-store' })
  res.end()
  return true
}

function isReading({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD'
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '/'
}
