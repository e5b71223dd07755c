import { describe, expect, it } from 'vitest'
import { searchAddress } from './search-api-link.ts'

describe('searchAddress', () => {
  it.each([
    ['http://127.0.0.1:7421', 'http://127.0.0.1:7421/catalog/search'],
    ['http://127.0.0.1:7421/', 'http://127.0.0.1:7421/catalog/search'],
    ['https://search.example.org/v1', 'https://search.example.org/v1/catalog/search'],
    ['https://search.example.org/v1/catalog/search/', 'https://search.example.org/v1/catalog/search'],
  ])('[R31] completes %s', (url, address) => {
    expect(searchAddress(url).href).toBe(address)
  })
})
