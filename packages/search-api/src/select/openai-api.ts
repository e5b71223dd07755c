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

const TOOL = { name: ANSWER_TOOL, description: ANSWER_TOOL_DESCRIPTION, parameters: ANSWER_SCHEMA }

/** JSON schema, tool call, and text for models that support neither. */
const FORMATS: readonly object[] = [
  { response_format: { type: 'json_schema', json_schema: { name: ANSWER_TOOL, strict: true, schema: ANSWER_SCHEMA } } },
  {
    tools: [{ type: 'function', function: TOOL }],
    tool_choice: { type: 'function', function: { name: ANSWER_TOOL } },
  },
  {},
]

const toolCallSchema = z.object({ function: z.object({ name: z.string(), arguments: z.string() }) })

const replySchema = z.object({
  choices: z.tuple(
    [
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: z.string().nullish(),
          refusal: z.string().nullish(),
          tool_calls: z.array(toolCallSchema).nullish(),
        }),
      }),
    ],
    z.unknown(),
  ),
})

/** `POST /chat/completions` of OpenAI and compatible endpoints: Ollama, vLLM, llama.cpp, LM Studio and others. */
export const openAiApi: ModelApi = {
  path: '/chat/completions',
  forms: FORMATS.length,

  request({ instructions, data }, { apiKey, model, maxAnswerTokens }, form) {
    const messages = [
      { role: 'system', content: instructions },
      { role: 'user', content: data },
    ]
    // Some models accept neither of the two; the last form leaves them out.
    const limits = form === 2 ? {} : { temperature: 0, max_tokens: maxAnswerTokens }
    return {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      body: { model, messages, stream: false, ...limits, ...FORMATS[form] },
    }
  },

  read(reply) {
    const [{ finish_reason: reason, message }] = parseReply(replySchema, reply).choices
    if (message.refusal || reason === 'content_filter') throw refusal()
    if (reason === 'length') throw truncated()
    const call = message.tool_calls?.find(({ function: { name } }) => name === ANSWER_TOOL)
    return jsonIn(call?.function.arguments ?? message.content ?? '')
  },
}
