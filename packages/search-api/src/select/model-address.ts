import { ToolSearchError } from '@tooldex/search'
import type { SelectOptions } from './select-options.ts'

/** Which API an address speaks, and where exactly. */
export interface ModelAddress {
  readonly api: 'openai' | 'anthropic'
  readonly address: URL
}

/**
 * Completes an address: `http://127.0.0.1:11434/v1` becomes that of `/chat/completions`.
 * @throws ToolSearchError INVALID_ARGUMENTS unless it is an http(s) address without credentials
 */
export function modelAddress({ url, api }: Pick<SelectOptions, 'url' | 'api'>): ModelAddress {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (address === undefined || !/^https?:$/.test(address.protocol))
    throw invalid('must be an http:// or https:// address such as http://127.0.0.1:11434/v1')
  if (address.username !== '' || address.password !== '')
    throw invalid('must not contain a user name or password; give the key as `apiKey`')
  const isAnthropic = address.pathname.endsWith('/messages') || address.hostname.endsWith('anthropic.com')
  const spoken = api ?? (isAnthropic ? 'anthropic' : 'openai')
  const ending = spoken === 'anthropic' ? '/messages' : '/chat/completions'
  const path = address.pathname.replace(/\/+$/, '')
  if (!path.endsWith(ending)) address.pathname = `${path === '' ? '/v1' : path}${ending}`
  return { api: spoken, address }
}

function invalid(problem: string): ToolSearchError {
  const reason = `the url of a language model ${problem}`
  return new ToolSearchError('INVALID_ARGUMENTS', { field: 'url', reason })
}
