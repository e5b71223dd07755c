import { z } from 'zod'
import {
  ANSWER_TOOL,
  foreign,
  jsonIn,
  type ModelApi,
  type ModelApiOptions,
  type ModelRequest,
  refusal,
  truncated,
} from './model-api.ts'
import { ANSWER_SCHEMA, type Prompt } from './prompt.ts'

const API_VERSION = '2023-06-01'

const replySchema = z.object({
  stop_reason: z.string().nullish(),
  content: z.array(
    z.object({
      type: z.string(),
      text: z.string().optional(),
      name: z.string().optional(),
      input: z.unknown().optional(),
    }),
  ),
})

/** `POST /v1/messages` of Anthropic; the model answers through a tool. */
export class AnthropicApi implements ModelApi {
  readonly address: URL
  /** With temperature, and without it for models that refuse one. */
  readonly ways = 2
  readonly #options: ModelApiOptions

  constructor(address: URL, options: ModelApiOptions) {
    this.address = address
    this.#options = options
  }

  request({ instructions, data }: Prompt, way: number): ModelRequest {
    const { apiKey, model, maxAnswerTokens } = this.#options
    return {
      headers: { 'anthropic-version': API_VERSION, ...(apiKey !== undefined && { 'x-api-key': apiKey }) },
      body: {
        model,
        max_tokens: maxAnswerTokens,
        ...(way === 0 && { temperature: 0 }),
        stream: false,
        system: instructions,
        messages: [{ role: 'user', content: data }],
        tools: [{ name: ANSWER_TOOL, description: 'Takes the chosen tools.', input_schema: ANSWER_SCHEMA }],
        tool_choice: way === 0 ? { type: 'tool', name: ANSWER_TOOL } : { type: 'auto' },
      },
    }
  }

  read(reply: unknown): unknown {
    const parsed = replySchema.safeParse(reply)
    if (!parsed.success) throw foreign()
    const { stop_reason: reason, content } = parsed.data
    if (reason === 'refusal') throw refusal()
    if (reason === 'max_tokens') throw truncated()
    const use = content.find(({ type, name }) => type === 'tool_use' && name === ANSWER_TOOL)
    return use?.input ?? jsonIn(content.map(({ text = '' }) => text).join(''))
  }
}
