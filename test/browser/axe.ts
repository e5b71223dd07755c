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
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as AxeResult
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${JSON.stringify(target)} ${failureSummary ?? ''}`),
  )
}
