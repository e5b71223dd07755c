const PATH = '/catalog/search'

/** The address to post to: a base address (`http://127.0.0.1:7430`, `https://search.example.org/v1`) is completed. */
export function searchAddress(url: string): URL {
  const address = new URL(url)
  const path = address.pathname.replace(/\/+$/, '')
  address.pathname = path.endsWith(PATH) ? path : `${path}${PATH}`
  return address
}
