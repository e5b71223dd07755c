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

/** `POST /chat/completions` of OpenAI, and of all that speak like it: Ollama, vLLM, llama.cpp, LM Studio and others. */
export class OpenAiApi implements ModelApi {
  readonly address: URL
  /** JSON schema, tool call, and plain words for models that know neither. */
  readonly ways = 3
  readonly #options: ModelApiOptions

  constructor(address: URL, options: ModelApiOptions) {
    this.address = address
    this.#options = options
  }

  request({ instructions, data }: Prompt, way: number): ModelRequest {
    const { apiKey, model, maxAnswerTokens } = this.#options
    const messages = [
      { role: 'system', content: instructions },
      { role: 'user', content: data },
    ]
    // Some models take neither of the two; they get the plain way.
    const limits = way === 2 ? {} : { temperature: 0, max_tokens: maxAnswerTokens }
    return {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      body: { model, messages, stream: false, ...limits, ...FORMATS[way] },
    }
  }

  read(reply: unknown): unknown {
    const parsed = replySchema.safeParse(reply)
    if (!parsed.success) throw foreign()
    const [{ finish_reason: reason, message }] = parsed.data.choices
    if (message.refusal || reason === 'content_filter') throw refusal()
    if (reason === 'length') throw truncated()
    const call = message.tool_calls?.find(({ function: { name } }) => name === ANSWER_TOOL)
    return jsonIn(call?.function.arguments ?? message.content ?? '')
  }
}

const FORMATS: readonly object[] = [
  { response_format: { type: 'json_schema', json_schema: { name: ANSWER_TOOL, strict: true, schema: ANSWER_SCHEMA } } },
  {
    tools: [
      {
        type: 'function',
        function: { name: ANSWER_TOOL, description: 'Takes the chosen tools.', parameters: ANSWER_SCHEMA },
      },
    ],
    tool_choice: { type: 'function', function: { name: ANSWER_TOOL } },
  },
  {},
]
