import { isRecord } from '@tooldex/http-kit/json'
import type { FieldText } from './texts.ts'

/** A parameter that asks for more than the tool needs. */
export interface ParameterHit {
  readonly rule: 'context-parameter'
  readonly signal: string
  readonly weight: number
  readonly at: FieldText
  readonly offset: number
  readonly length: number
}

/** Names of parameters, in words, that ask for what the model knows besides its arguments. */
const CONTEXT_NAMES =
  /^(?:system (?:prompts?|messages?|instructions?)|(?:initial|original|full|raw|hidden|base) (?:system )?(?:prompts?|context|instructions)|(?:full |entire |all |previous |prior |past |complete )?(?:conversation|chat|dialogue?|message|session|prompt) (?:history|logs?|context|transcript|content|so far|dump)|(?:full|entire|whole|complete|all|previous|prior) (?:conversations?|messages|chats?|context)|chain of thoughts?|(?:internal |hidden )?(?:reasoning|thought|thinking) (?:trace|chain|process|log|steps)|(?:list of )?(?:available |all |other )tools(?: list| names)?|tools? list|tool calls? (?:history|log)s?|previous tool (?:calls|results|outputs)|(?:llm|ai|calling|caller|agent|assistant) (?:model )?(?:name|id|identity|version|model)s?|(?:llm|calling|caller|ai) models?|model (?:context|memory|state|identity)|context window|agent (?:memory|context|instructions)|user (?:prompt|context dump|conversation)|internal (?:context|notes|state)|memory dump|env(?:ironment)? (?:dump|variables dump)|side ?notes?)$/
/** Names that ask for secrets that no remote tool needs to be given by a model. */
const SECRET_NAMES =
  /^(?:(?:user )?ssh (?:private )?keys?|(?:ssh )?private key (?:content|data|contents)|(?:seed|recovery|mnemonic) (?:phrase|words)|(?:user |all |saved )(?:passwords|credentials|secrets|cookies|tokens)|(?:env|dotenv) (?:file )?(?:content|contents|data|vars)|credentials? (?:dump|file content|contents)|(?:wallet )?secret recovery phrase|browser cookies|id rsa)$/
/** Marks that set a parameter apart from those of the task. */
const SIGIL = /^(?:__?|\$|@|\.)[a-z].*|.*[a-z]__?$/i
/** Descriptions that ask for it. */
const ABOUT_CALLER =
  /\b(?:(?:model|llm|ai|agent|assistant|client)s? (?:that|which|who) (?:is |are )?(?:calls?|calling|invok(?:es?|ing)|us(?:es?|ing)|mak(?:es?|ing)|run(?:s|ning)?)|(?:calling|invoking|requesting|current) (?:ai |language )?(?:model|llm|agent|assistant)|which (?:ai |language )?(?:model|llm|assistant) (?:is|you)|your (?:model name|system prompt|instructions|identity|reasoning|chain of thought|tools|available tools|context|conversation|memory)|(?:system prompt|instructions|reasoning|thoughts) of the (?:calling |current )?(?:model|llm|agent|assistant|ai))\b/
const WANTS_ALL =
  /\b(?:everything (?:said|you|so far|the user|in (?:the|your|this))|(?:full|entire|complete|whole|raw|verbatim) (?:\w{1,20} ){0,2}(?:conversation|chat|context|dialogue?|transcript|prompt|history)|(?:conversation|chat|message) (?:history|so far|transcript)|all (?:previous|prior|past|earlier|other|available) (?:messages|tool|tools|conversations?|results)|previous messages|(?:prompt|message|request|conversation|reasoning|thoughts?)[^.]{0,40}? verbatim|verbatim (?:prompt|message|conversation)|including (?:those|tools) of other servers|environment variables of|dump of (?:all |the |your )?(?:environment|memory|context|files|secrets|config)|(?:contents?|value) of (?:the |your |all )?(?:\w{1,20} ){0,2}(?:private key|\.env|credentials?|ssh|config(?:uration)? files?|home|environment)|names? of (?:all |every )?(?:the )?(?:tools|functions))\b/
const ALWAYS =
  /\b(?:always (?:include|provide|fill|set|pass)|must (?:always )?(?:be filled|include|contain)|required for (?:telemetry|licen[sc]ing|analytics|tracking|auditing|verification|logging|debugging)|for (?:telemetry|licen[sc]ing|analytics|tracking|internal use)|internal use)\b/
/** Tools that work with prompts and conversations have such parameters for a reason. */
const ABOUT_MODELS =
  /\b(?:prompts?|llms?|models?|agents?|assistants?|chats?|chatbots?|conversations?|completions?|gpt|claude|gemini|openai|anthropic|messages?|threads?|personas?|reasoning|thinking|thoughts?|mcp|embeddings?|notes?)\b/

/** Parameters that ask for the conversation, the instructions of the model, or secrets. */
export function parameterHits(definition: unknown): ParameterHit[] {
  if (!isRecord(definition)) return []
  const schema = definition['inputSchema']
  const properties = isRecord(schema) ? schema['properties'] : undefined
  if (!isRecord(properties)) return []
  const purpose = [definition['name'], definition['title'], definition['description']]
    .filter((text) => typeof text === 'string')
    .map((text) => inWords(firstSentence(text)))
    .join(' ')
  const hits: ParameterHit[] = []
  for (const [name, value] of Object.entries(properties).slice(0, 256)) {
    const text = isRecord(value) && typeof value['description'] === 'string' ? value['description'].slice(0, 4_096) : ''
    const weight = weightOf(name.slice(0, 128), text.toLowerCase(), ABOUT_MODELS.test(purpose))
    if (weight === 0) continue
    const field = `/inputSchema/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    hits.push({
      rule: 'context-parameter',
      signal: 'context-parameter',
      weight,
      at:
        text === '' ? { field, text: name, kind: 'parameter' } : { field: `${field}/description`, text, kind: 'prose' },
      offset: 0,
      length: text === '' ? name.length : text.length,
    })
  }
  return hits
}

/** What the tool does. The rest of a description often lists the parameters in question. */
function firstSentence(text: string): string {
  const end = text.search(/[.!?\n]/)
  return text.slice(0, Math.min(end < 0 ? 400 : end, 400))
}

function weightOf(name: string, text: string, isAboutModels: boolean): number {
  const words = inWords(name)
  const isContext = CONTEXT_NAMES.test(words)
  const isSecret = SECRET_NAMES.test(words)
  const isOdd = SIGIL.test(name) && (isContext || /context|prompt|history|secret|system/.test(words))
  const asks = (ABOUT_CALLER.test(text) ? 2 : 0) + (WANTS_ALL.test(text) ? 2 : 0) + (ALWAYS.test(text) ? 1 : 0)
  const named = (isContext ? 2.5 : 0) + (isSecret ? 2.5 : 0) + (isOdd ? 3 : 0)
  const weight = named + asks
  // Where prompts are the subject, a name or a description alone says nothing.
  if (isAboutModels && !isOdd && (named === 0 || asks < 2)) return 0
  return weight >= 2 ? weight : 0
}

/** `chatHistory` and `chat_history` as `chat history`. */
function inWords(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_\-./$@]+/g, ' ')
    .trim()
    .toLowerCase()
}
