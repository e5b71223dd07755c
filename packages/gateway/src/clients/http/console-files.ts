import { readdir, readFile, stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { GatewayError } from '../../errors.ts'
import { type AreaHandler, pathOf } from './routes.ts'

/** The path of the console. Below it, every path that is not a file is a page. */
const CONSOLE_PATH = '/console'

/** Scripts, styles and requests come from this gateway only; nothing inline, no frames, no plugins. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
} as const

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

const compress = promisify(gzip)

/** The ending of the compressed form of a file, beside it. */
const BROTLI = '.br'

type Encoding = 'br' | 'gzip'

interface ConsoleFile {
  readonly type: string
  readonly plain: Buffer
  /** Best first; none for what is compressed already. */
  readonly encoded: readonly (readonly [Encoding, Buffer])[]
  /** Its name changes with its content. */
  readonly isForEver: boolean
}

/** Serves the built console. Each file is read on its first request. */
export class ConsoleFiles {
  readonly #folder: string
  /** Paths below the folder. Only these are served, so no path leads out of it. */
  #names: Promise<ReadonlySet<string>> | undefined
  readonly #files = new Map<string, Promise<ConsoleFile>>()

  constructor(folder: URL) {
    this.#folder = fileURLToPath(folder)
  }

  /** Answers a request below `CONSOLE_PATH`. */
  async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    this.#names ??= namesIn(this.#folder)
    const names = await this.#names
    const asked = pathOf(req).slice(CONSOLE_PATH.length + 1)
    if (!names.has('index.html')) {
      throw new GatewayError('PATH_NOT_FOUND', {
        reason: 'the console is not built',
        remedy: 'Run npm run build, or install the released package',
      })
    }
    if (!names.has(asked) && asked.startsWith('assets/')) {
      throw new GatewayError('PATH_NOT_FOUND', { reason: 'the console was updated', remedy: 'Load the page again' })
    }
    const file = await this.#file(names.has(asked) ? asked : 'index.html')
    const accepted = req.headers['accept-encoding'] ?? ''
    const [encoding, body] = file.encoded.find(([each]) => accepts(accepted, each)) ?? [undefined, file.plain]
    res.writeHead(200, {
      ...HEADERS,
      'content-type': file.type,
      'content-length': body.length,
      vary: 'accept-encoding',
      'cache-control': file.isForEver ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(encoding !== undefined && { 'content-encoding': encoding }),
    })
    res.end(req.method === 'HEAD' ? undefined : body)
  }

  #file(name: string): Promise<ConsoleFile> {
    const known = this.#files.get(name) ?? read(this.#folder, name)
    this.#files.set(name, known)
    return known
  }
}

/** Weights are not read: no browser lists an encoding to refuse it. */
function accepts(header: string, encoding: Encoding): boolean {
  return header.split(',').some((part) => part.split(';')[0]?.trim() === encoding)
}

async function read(folder: string, name: string): Promise<ConsoleFile> {
  const plain = await readFile(`${folder}${name}`)
  const extension = extname(name)
  return {
    type: TYPES[extension] ?? 'application/octet-stream',
    plain,
    encoded: extension === '.woff2' ? [] : [...(await brotliOf(folder, name)), ['gzip', await compress(plain)]],
    isForEver: name.startsWith('assets/'),
  }
}

/** The build compresses large files: that takes longer than a request should. */
async function brotliOf(folder: string, name: string): Promise<ConsoleFile['encoded']> {
  return readFile(`${folder}${name}${BROTLI}`).then(
    (body) => [['br', body]],
    () => [],
  )
}

async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  const isThere = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isThere) return new Set()
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith(BROTLI))
  return new Set(
    files.map(({ parentPath, name }) =>
      `${parentPath}/${name}`
        .slice(folder.length)
        .replace(/^[/\\]/, '')
        .replaceAll('\\', '/'),
    ),
  )
}

/** The MCP paths of an endpoint with the id `console`. */
const MCP_PATHS: ReadonlySet<string> = new Set(['mcp', 'sse', 'messages'].map((name) => `${CONSOLE_PATH}/${name}`))

/** The console below `/console`. Its folder is looked up on the first request. */
export function consoleArea(folder: () => Promise<URL>): AreaHandler {
  let files: Promise<ConsoleFiles> | undefined
  return async (req, res) => {
    if (!isReading(req) || MCP_PATHS.has(pathOf(req))) return false
    files ??= folder().then((found) => new ConsoleFiles(found))
    await (await files).answer(req, res)
    return true
  }
}

/** Redirects `/` to the console. Browsers keep the fragment, so that sign-in links work. */
export const leadToConsole: AreaHandler = (req, res) => {
  if (!isReading(req) || pathOf(req) !== '/') return false
  res.writeHead(302, { location: `${CONSOLE_PATH}/`, 'cache-control': 'no-store' })
  res.end()
  return true
}

function isReading({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD'
}
