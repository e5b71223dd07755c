import { type CatalogPrompt, promptNames } from '../../../catalog/name-table.ts'
import { GatewayError } from '../../../errors.ts'
import type { RawResult } from '../../../servers/server.ts'
import type { EndpointView } from './endpoint-view.ts'
import type { Forwarder } from './forwarder.ts'
import type { Caller } from './request-handler.ts'

type Params = Readonly<Record<string, unknown>>

/** `prompts/list`: the prompts of all servers under unique names. */
export function listPrompts({ servers, rules }: EndpointView): RawResult {
  const { list, names } = promptNames(servers, rules)
  return { prompts: list.map((prompt) => ({ ...prompt.definition, name: names.nameOf(prompt) ?? prompt.name })) }
}

/** `prompts/get`, by the server that has it. */
export function getPrompt(params: Params, view: EndpointView, caller: Caller, forward: Forwarder): Promise<RawResult> {
  const prompt = promptNamed(params['name'], view)
  return forward(prompt.server.id, { method: 'prompts/get', params: { ...params, name: prompt.name } }, caller)
}

/** The prompt that a client means. @throws GatewayError PROMPT_NOT_FOUND */
export function promptNamed(name: unknown, { servers, rules }: EndpointView): CatalogPrompt {
  const prompt = typeof name === 'string' ? promptNames(servers, rules).names.get(name) : undefined
  if (prompt !== undefined) return prompt
  throw new GatewayError('PROMPT_NOT_FOUND', {
    prompt: String(name),
    reason: `no prompt here is called ${JSON.stringify(name)}`,
    remedy: 'Ask prompts/list for what there is',
  })
}
