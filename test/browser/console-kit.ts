import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { ensureConsole } from '../../scripts/build-console.ts'
import { builtProgram } from '../kit/shared.ts'
import { launchChromium } from './chromium.ts'

const PATIENCE_MS = 20_000

/** A running gateway with its console, and a browser. */
export interface ConsoleUnderTest extends AsyncDisposable {
  readonly url: string
  readonly adminToken: string
  readonly dataDir: string
  /** The home folder of the gateway's user, with no client in it. */
  readonly home: string
  /** A page in its own browser profile. Its errors are in `complaints`. */
  newPage(options?: PageOptions): Promise<WatchedPage>
  /** A page that is signed in. */
  signedIn(options?: PageOptions): Promise<WatchedPage>
  /** Sends a request to the admin API. */
  api(method: string, path: string, body?: unknown): Promise<unknown>
  /** Stops the gateway and starts it again on the same port and data. */
  restart(): Promise<void>
  stopProgram(): Promise<void>
}

/** The browser settings of a page. */
export interface PageOptions {
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  readonly language?: string
}

/** A page and its errors. */
export interface WatchedPage {
  readonly page: Page
  readonly context: BrowserContext
  /** Script errors, policy violations, and requests to other origins. */
  readonly complaints: string[]
}

/** Starts the gateway and a browser. `config` is a tooldex.json; without it everything is in the store. */
export async function consoleUnderTest(config?: object): Promise<ConsoleUnderTest> {
  await ensureConsole(() => {})
  const dataDir = await mkdtemp(join(tmpdir(), 'tooldex-console-'))
  const configFile = join(dataDir, 'tooldex.json')
  if (config !== undefined) await writeFile(configFile, JSON.stringify(config))
  const args = ['--data', dataDir, ...(config === undefined ? [] : ['--config', configFile])]
  const [first, browser] = await Promise.all([startProgram(dataDir, args, 0), launchChromium()])
  const { url, adminToken } = first
  let program = first.program
  const pages: BrowserContext[] = []
  const newPage = async (options: PageOptions = {}): Promise<WatchedPage> => {
    const watched = await openPage(browser, url, options)
    pages.push(watched.context)
    return watched
  }
  return {
    url,
    adminToken,
    dataDir,
    home: homeIn(dataDir),
    newPage,
    signedIn: async (options) => {
      const watched = await newPage(options)
      await signIn(watched.page, url, adminToken)
      return watched
    },
    api: (method, path, body) => askApi(url, adminToken, method, path, body),
    stopProgram: () => stop(program),
    restart: async () => {
      await stop(program)
      program = (await startProgram(dataDir, args, Number(new URL(url).port))).program
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(pages.map((context) => context.close()))
      await Promise.all([browser.close(), stop(program)])
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Signs in with a token, in any language, and waits for the page. */
export async function signIn(page: Page, url: string, token: string): Promise<void> {
  await page.goto(`${url}/`)
  await page.locator('input[name=token]').fill(token)
  await page.keyboard.press('Enter')
  await page.locator('main#content').getByRole('heading', { level: 1 }).waitFor()
}

async function openPage(browser: Browser, url: string, options: PageOptions): Promise<WatchedPage> {
  const { theme = 'light', width = 1360, height = 860, language = 'en-GB' } = options
  const context = await browser.newContext({
    ...{ viewport: { width, height }, colorScheme: theme, locale: language },
    // Every click on something that moves would wait until it rests.
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`))
  page.on('console', (message) => {
    // Browsers also log every error response; those are part of the tests.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) complaints.push(`foreign request: ${request.url()}`)
  })
  return { page, context, complaints }
}

interface Started {
  readonly program: ChildProcess
  readonly url: string
  readonly adminToken: string
}

const homeIn = (dataDir: string): string => join(dataDir, 'home')

async function startProgram(dataDir: string, args: readonly string[], port: number): Promise<Started> {
  const program = spawn(process.execPath, [await builtProgram(), 'serve', '--json', '--port', String(port), ...args], {
    cwd: dataDir,
    stdio: ['ignore', 'pipe', 'pipe'],
    // The clients of the user who runs the tests are not found.
    env: { ...process.env, HOME: homeIn(dataDir) },
  })
  let said = ''
  program.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  for await (const line of createInterface({ input: program.stdout as NodeJS.ReadableStream })) {
    const { endpoints, adminToken = '' } = JSON.parse(line) as { endpoints: { url: string }[]; adminToken?: string }
    return { program, url: new URL(endpoints[0]?.url ?? '').origin, adminToken }
  }
  throw new Error(`The gateway did not start: ${said}`)
}

async function stop(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return
  const ended = new Promise((resolve) => program.once('close', resolve))
  program.kill('SIGTERM')
  await ended
}

async function askApi(url: string, token: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}
