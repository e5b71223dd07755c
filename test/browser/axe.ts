import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly target: unknown; readonly failureSummary?: string }[]
  }[]
}

/** The accessibility violations that axe finds, one per line. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  // Evaluated by the browser, because the policy of the page forbids inline scripts.
  await page.evaluate(await source)
  const { violations } = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } })',
  )) as AxeResult
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${JSON.stringify(target)} ${failureSummary ?? ''}`),
  )
}

/** A theme and a width in pixels. */
interface Look {
  readonly theme: 'light' | 'dark'
  readonly width: number
}

/** Names a look in a table of tests. */
export const look = (theme: Look['theme'], width: number): Look => ({ theme, width })

/** Shows an open page in another look, and waits until colours that fade from one theme into the other are those of the new one. */
export async function lookAs(page: Page, { theme, width }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.setViewportSize({ width, height: 800 })
  await page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const ending = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity)
    await Promise.all(ending.map(({ finished }) => finished.catch(() => {})))
  })
}
