import { CircuitBreaker } from '@tooldex/http-kit/breaker'
import { PostError, postJson, serviceUrl, wait, withPath } from '@tooldex/http-kit/post'
import { ToolSearchError } from '@tooldex/search'
import type { SelectOptions } from '../options.ts'
import { anthropicApi } from './anthropic-api.ts'
import type { ModelApi } from './model-api.ts'
import { openAiApi } from './openai-api.ts'
import { type Prompt, promptFor } from './prompt.ts'
import { readChoices } from './read-choices.ts'
import { type Choice, type Selection, SelectFailure, type Selector } from './selection.ts'

const FIRST_DELAY_MS = 200
const FAILURES_UNTIL_OPEN = 3
const OPEN_MS = 10_000
/** Much more than any choice of tools takes. */
const MAX_REPLY_BYTES = 2 * 1024 * 1024

/** Lets a language model choose. Waits for it within limits and checks everything that it answers. */
export class ModelSelector implements Selector {
  readonly maxCandidates: number
  readonly #options: SelectOptions
  readonly #api: ModelApi
  readonly #url: URL
  readonly #breaker = new CircuitBreaker({ failures: FAILURES_UNTIL_OPEN, openMs: OPEN_MS, now })
  /** The form of asking that the endpoint supports, as far as is known. */
  #form = 0
  #underWay = 0

  /** @throws ToolSearchError INVALID_ARGUMENTS for an invalid URL */
  constructor(options: SelectOptions) {
    this.#options = options
    this.maxCandidates = options.maxCandidates ?? 40
    const { api, url } = modelEndpoint(options)
    this.#api = api
    this.#url = url
  }

  async select(selection: Selection, signal: AbortSignal): Promise<readonly Choice[]> {
    if (this.#underWay >= (this.#options.concurrentSelections ?? 32)) {
      throw new SelectFailure('the model has as many questions under way as it may')
    }
    if (this.#breaker.enter() > 0)
      throw new SelectFailure('the model failed several times and is not asked for a while')
    this.#underWay += 1
    try {
      return await this.#selectInTime(selection, signal)
    } finally {
      this.#underWay -= 1
    }
  }

  async #selectInTime(selection: Selection, signal: AbortSignal): Promise<readonly Choice[]> {
    const { timeoutMs = 4_000, maxPromptTokens = 8_000 } = this.#options
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const prompt = promptFor(selection, maxPromptTokens)
      const answer = await this.#ask(prompt, AbortSignal.any([signal, limit]), now() + timeoutMs)
      this.#breaker.succeeded()
      return readChoices(answer, prompt.candidates)
    } catch (error) {
      signal.throwIfAborted()
      const failure = limit.aborted ? late(timeoutMs, error) : error
      if (failure instanceof SelectFailure && failure.isOutage) this.#breaker.failed(failure.message)
      throw failure
    }
  }

  /** Retries transient failures, later each time and never beyond the time limit. */
  async #ask(prompt: Prompt, signal: AbortSignal, until: number): Promise<unknown> {
    const { attempts = 3 } = this.#options
    for (let attempt = 1; ; ) {
      const form = this.#form
      try {
        return this.#api.read(await this.#post(prompt, form, signal))
      } catch (error) {
        if (!(error instanceof SelectFailure)) throw error
        if (error.isUnsupported) {
          // After the last form the next selection begins with the best one again.
          this.#form = (form + 1) % this.#api.forms
          if (this.#form !== 0) continue
        }
        const delay = delayAfter(error, attempt)
        if (!error.isTransient || attempt >= attempts || now() + delay >= until) throw error
        attempt += 1
        await wait(delay, signal)
      }
    }
  }

  async #post(prompt: Prompt, form: number, signal: AbortSignal): Promise<unknown> {
    const { headers, body } = this.#api.request(prompt, { maxAnswerTokens: 2_000, ...this.#options }, form)
    const request = { url: this.#url, headers, body: JSON.stringify(body), maxBytes: MAX_REPLY_BYTES, signal }
    try {
      return await postJson(request)
    } catch (error) {
      throw error instanceof PostError ? failureOf(error) : error
    }
  }
}

/**
 * The API and URL of an endpoint: `http://127.0.0.1:11434/v1` is completed with `/chat/completions`.
 * @throws ToolSearchError INVALID_ARGUMENTS unless it is an http(s) URL without credentials
 */
export function modelEndpoint({ url: text, api }: Pick<SelectOptions, 'url' | 'api'>): { api: ModelApi; url: URL } {
  const url = serviceUrl(text, (problem) => {
    const reason = `the url of a language model ${problem}`
    return new ToolSearchError('INVALID_ARGUMENTS', { field: 'url', reason })
  })
  const isAnthropic = url.pathname.endsWith('/messages') || url.hostname.endsWith('anthropic.com')
  const spoken = (api ?? (isAnthropic ? 'anthropic' : 'openai')) === 'anthropic' ? anthropicApi : openAiApi
  return { api: spoken, url: withPath(url, spoken.path) }
}

function failureOf(error: PostError): SelectFailure {
  const { kind, status, retryAfterMs } = error
  return new SelectFailure(`${SUBJECTS[kind]} ${error.message}${remedyFor(error)}`, {
    isTransient: error.isTransient || status === 409,
    isUnsupported: status === 400 || status === 422,
    isOutage: true,
    retryAfterMs,
    cause: error.cause,
  })
}

const SUBJECTS: Readonly<Record<PostError['kind'], string>> = {
  status: 'the model’s endpoint',
  timeout: 'the model',
  unreachable: 'the model',
  'too-large': 'the model’s endpoint',
  'not-json': 'the model’s endpoint',
}

function remedyFor({ kind, status }: PostError): string {
  if (kind === 'unreachable') return '; check that it runs there'
  if (status === 401 || status === 403) return '; check its key'
  if (status === 404) return '; check its url and the name of the model'
  if (status === 429) return '; it takes fewer requests than are made'
  if (status >= 300 && status < 400) return '; set its url to where it redirects'
  return ''
}

/** The jitter keeps several processes from retrying at the same moment. */
function delayAfter({ retryAfterMs = 0 }: SelectFailure, attempt: number): number {
  return Math.max(retryAfterMs, FIRST_DELAY_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2))
}

function late(timeoutMs: number, cause: unknown): SelectFailure {
  return new SelectFailure(`the model did not choose within ${timeoutMs} ms`, { isOutage: true, cause })
}

function now(): number {
  return performance.now()
}
