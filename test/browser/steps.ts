import type { Locator, Page } from 'playwright-core'

/** Waits for a page by its heading. */
export async function atPage(page: Page, heading: string): Promise<void> {
  await page.getByRole('heading', { name: heading, level: 1, exact: true }).waitFor()
}

/** Waits until no part of the page is loading. */
export async function contentLoaded(page: Page): Promise<void> {
  await page.locator('[data-loading]').first().waitFor({ state: 'hidden' })
}

/** Goes to a page as a person does: by the navigation. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  await atPage(page, name)
}

/** Waits for an open dialog. */
export async function dialogOf(page: Page, title: string | RegExp): Promise<Locator> {
  const dialog = page.getByRole('dialog', { name: title })
  await dialog.waitFor()
  return dialog
}

/** Waits for a toast. */
export async function toastOf(page: Page, text: string): Promise<Locator> {
  const toast = page.getByRole('dialog').or(page.getByRole('alertdialog')).filter({ hasText: text }).first()
  await toast.waitFor()
  return toast
}

/** The table row that contains a text. */
export function rowOf(page: Page, text: string): Locator {
  return page.getByRole('row').filter({ hasText: text })
}

/** The problem shown beside a field, found as assistive technology finds it. */
export async function problemBeside(field: Locator): Promise<string> {
  const page = field.page()
  const wrong = field.and(page.locator('[aria-invalid="true"]'))
  await wrong.waitFor()
  const note = await wrong.getAttribute('aria-describedby')
  return page.locator(`[id="${note}"]`).innerText()
}

/** Counts how often a person presses the mouse from now on, in all pages that open without loading the console anew. */
export async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    document.body.dataset['clicks'] = '0'
    const count = (): void => {
      document.body.dataset['clicks'] = String(Number(document.body.dataset['clicks']) + 1)
    }
    document.addEventListener('pointerdown', count, true)
  })
  return () => page.evaluate(() => Number(document.body.dataset['clicks'] ?? Number.NaN))
}
