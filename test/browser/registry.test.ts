// The console finds a server in a registry and adds it.
import { expect, it } from 'vitest'
import { useRegistries } from '../../packages/gateway/src/setup/registry/fake-registry.case.ts'
import type { Json } from '../kit/clients.ts'
import { axeFindings } from './axe.ts'
import { consoleUnderTest } from './console-kit.ts'
import { countClicks } from './steps.ts'

const startRegistry = useRegistries()

it('[U7] searches a registry, shows what it would run, asks for inputs and adds the server', {
  timeout: 90_000,
}, async () => {
  const { url } = await startRegistry()
  await using tested = await consoleUnderTest({ registries: [{ url }] })
  const { page } = await tested.signedIn()
  const clicks = await countClicks(page)
  await page.getByRole('link', { name: /^Add a server/ }).click()
  await page.getByRole('tab', { name: 'From a registry' }).click()
  await page.getByLabel('Words or exact name').fill('weather')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Choose io.github.ada/weather' }).click()
  await page.getByText('npx -y @ada/weather-mcp@1.4.2').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByLabel('UNITS').fill('kelvin')
  await page.getByRole('button', { name: /^Add and start/ }).click()
  await page.getByText('must be one of metric, imperial', { exact: false }).first().waitFor()
  await page.getByLabel('UNITS').fill('imperial')
  await page.getByRole('button', { name: /^Add and start/ }).click()
  await page.getByText('switched off until it has WEATHER_API_KEY').waitFor()
  // One of the clicks was the refused attempt.
  expect((await clicks()) - 1).toBeLessThanOrEqual(4)
  const { items } = (await tested.api('GET', '/servers')) as Json
  expect(items.map(({ id, enabled }: Json) => [id, enabled])).toEqual([['weather', expect.any(Boolean)]])
})
