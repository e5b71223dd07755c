import { existsSync } from 'node:fs'
import { type Browser, chromium as playwright } from 'playwright-core'

/** Where Debian, Fedora and macOS put a browser. */
const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** A real Chromium: the one of this machine, else the one that comes in an npm package. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = INSTALLED.find((path) => existsSync(path)) ?? (await packagedChromium())
  // In containers there is neither a user for the sandbox nor much shared memory.
  return playwright.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'] })
}

async function packagedChromium(): Promise<string> {
  const { default: chromium } = await import('@sparticuz/chromium')
  return chromium.executablePath()
}
