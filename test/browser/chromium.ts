import { existsSync } from 'node:fs'
import { type Browser, chromium as playwright } from 'playwright-core'

/** The paths of installed browsers on Debian, Fedora and macOS. */
const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Launches a real Chromium: the installed one, else the one from an npm package. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = INSTALLED.find((path) => existsSync(path)) ?? (await packagedChromium())
  // Containers have no user for the sandbox, and little shared memory.
  return playwright.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'] })
}

async function packagedChromium(): Promise<string> {
  const { default: chromium } = await import('@sparticuz/chromium')
  return chromium.executablePath()
}
