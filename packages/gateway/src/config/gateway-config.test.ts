import { expect, it } from 'vitest'
import { reachableUrl } from './gateway-config.ts'

it('is the listening address, unless that is a wildcard', () => {
  expect(reachableUrl('http://127.0.0.1:7420', { allowedHosts: ['tools.example.org'] })).toBe('http://127.0.0.1:7420')
})

it('is a host name if the gateway listens on all interfaces', () => {
  expect(reachableUrl('http://0.0.0.0:7420', { allowedHosts: ['tools.example.org'] })).toBe(
    'http://tools.example.org:7420',
  )
  expect(reachableUrl('http://[::]:7420', { allowedHosts: [] })).toBe('http://127.0.0.1:7420')
})

it('is the public URL, if there is one', () => {
  const listen = { allowedHosts: [], publicUrl: 'https://tools.example.org/' }
  expect(reachableUrl('http://127.0.0.1:7420', listen)).toBe('https://tools.example.org')
})
