import { z } from 'zod'
import {
  ANSWER_TOOL,
  ANSWER_TOOL_DESCRIPTION,
  jsonIn,
  type ModelApi,
  parseReply,
  refusal,
  truncated,
} from './model-api.ts'
import { ANSWER_SCHEMA } from './prompt.ts'

const API_VERSION = '2023-06-01'
const TOOL = { name: ANSWER_TOOL, description: ANSWER_TOOL_DESCRIPTION, input_schema: ANSWER_SCHEMA }

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
export const anthropicApi: ModelApi = {
  path: '/messages',
  // With temperature, and without it for models that refuse one.
  forms: 2,

  request({ instructions, data }, { apiKey, model, maxAnswerTokens }, form) {
    return {
      headers: { 'anthropic-version': API_VERSION, ...(apiKey !== undefined && { 'x-api-key': apiKey }) },
      body: {
        model,
        max_tokens: maxAnswerTokens,
        ...(form === 0 && { temperature: 0 }),
        stream: false,
        system: instructions,
        messages: [{ role: 'user', content: data }],
        tools: [TOOL],
        tool_choice: form === 0 ? { type: 'tool', name: ANSWER_TOOL } : { type: 'auto' },
      },
    }
  },

  read(reply) {
    const { stop_reason: reason, content } = parseReply(replySchema, reply)
    if (reason === 'refusal') throw refusal()
    if (reason === 'max_tokens') throw truncated()
    const use = content.find(({ type, name }) => type === 'tool_use' && name === ANSWER_TOOL)
    return use?.input ?? jsonIn(content.map(({ text = '' }) => text).join(''))
  },
}
