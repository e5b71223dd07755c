import { expect, it } from 'vitest'
import { isPrivate, listeningUrl, localUrl, reachableUrl } from './gateway-config.ts'

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

it('is on this machine for programs beside it', () => {
  expect(localUrl(listeningUrl({ host: '0.0.0.0', port: 7420 }))).toBe('http://127.0.0.1:7420')
  expect(localUrl(listeningUrl({ host: '::', port: 7420 }))).toBe('http://127.0.0.1:7420')
  expect(localUrl(listeningUrl({ host: '192.0.2.1', port: 80 }))).toBe('http://192.0.2.1:80')
})

it('is private on loopback alone, without a public URL and other host names', () => {
  const listen = { host: '127.0.0.1', port: 7420, allowedHosts: [] }
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1']) expect(isPrivate({ ...listen, host })).toBe(true)
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'localhost.example.org'])
    expect(isPrivate({ ...listen, host })).toBe(false)
  expect(isPrivate({ ...listen, publicUrl: 'https://tools.example.org' })).toBe(false)
  expect(isPrivate({ ...listen, allowedHosts: ['tools.example.org'] })).toBe(false)
})
