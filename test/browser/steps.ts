import type { Locator, Page } from 'playwright-core'

/** Waits for a page by its heading. */
export async function atPage(page: Page, heading: string): Promise<void> {
  await page.getByRole('heading', { name: heading, level: 1, exact: true }).waitFor()
}

/** Goes to a page as a person does: by the navigation. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  await atPage(page, name)
}

/** The dialog that is open, once it is there. */
export async function dialogOf(page: Page, title: string | RegExp): Promise<Locator> {
  const dialog = page.getByRole('dialog', { name: title })
  await dialog.waitFor()
  return dialog
}

/** Waits for what the console says was done. */
export async function told(page: Page, text: string): Promise<Locator> {
  const toast = page.getByRole('dialog').or(page.getByRole('alertdialog')).filter({ hasText: text }).first()
  await toast.waitFor()
  return toast
}

/** The row of a table that says something. */
export function rowOf(page: Page, text: string): Locator {
  return page.getByRole('row').filter({ hasText: text })
}

/** What the console says is wrong with a field, tied to it for everybody. */
export async function problemBeside(field: Locator): Promise<string> {
  const page = field.page()
  const wrong = field.and(page.locator('[aria-invalid="true"]'))
  await wrong.waitFor()
  const note = await wrong.getAttribute('aria-describedby')
  return page.locator(`[id="${note}"]`).innerText()
}
