import { ToolSearchError } from '@tooldex/search'

/**
 * The address to post to. A base address (`http://127.0.0.1:11434`, `https://api.example.org/v1`) is completed.
 * @throws ToolSearchError INVALID_ARGUMENTS unless it is an http(s) address without credentials.
 */
export function serviceAddress(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (address === undefined || !/^https?:$/.test(address.protocol))
    throw invalid('must be an http:// or https:// address such as http://127.0.0.1:11434/v1')
  if (address.username !== '' || address.password !== '')
    throw invalid('must not contain a user name or password; give the key as `apiKey`')
  const path = address.pathname.replace(/\/+$/, '')
  if (!path.endsWith('/embeddings')) address.pathname = `${path === '' ? '/v1' : path}/embeddings`
  return address
}

function invalid(problem: string): ToolSearchError {
  return new ToolSearchError('INVALID_ARGUMENTS', {
    field: 'url',
    reason: `the url of an embedding service ${problem}`,
  })
}
