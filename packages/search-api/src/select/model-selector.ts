import { setTimeout as wait } from 'node:timers/promises'
import { AnthropicApi } from './anthropic-api.ts'
import { modelAddress } from './model-address.ts'
import type { ModelApi } from './model-api.ts'
import { OpenAiApi } from './openai-api.ts'
import { Pause } from './pause.ts'
import { post } from './post.ts'
import { type Prompt, promptFor } from './prompt.ts'
import { readChoices } from './read-choices.ts'
import { SelectFailure } from './select-failure.ts'
import type { SelectOptions, SelectParts } from './select-options.ts'
import type { Choice, Selection, Selector } from './selector.ts'

const FIRST_DELAY_MS = 200

/** Has a language model choose. Waits for it within limits and believes nothing that it says unchecked. */
export class ModelSelector implements Selector {
  readonly maxCandidates: number
  readonly #options: SelectOptions
  readonly #parts: Required<SelectParts>
  readonly #api: ModelApi
  readonly #pause: Pause
  /** The way of asking that the endpoint understands, as far as is known. */
  #way = 0
  #underWay = 0

  /** @throws ToolSearchError INVALID_ARGUMENTS when the address is none */
  constructor(options: SelectOptions, parts: SelectParts = {}) {
    this.#options = options
    this.#parts = { fetch, now: () => performance.now(), random: Math.random, wait: waitFor, ...parts }
    this.maxCandidates = options.maxCandidates ?? 40
    const { api, address } = modelAddress(options)
    const Api = api === 'anthropic' ? AnthropicApi : OpenAiApi
    this.#api = new Api(address, { maxAnswerTokens: 2_000, ...options })
    this.#pause = new Pause(this.#parts.now)
  }

  async select(selection: Selection, signal: AbortSignal): Promise<readonly Choice[]> {
    if (this.#underWay >= (this.#options.concurrentSelections ?? 32)) {
      throw new SelectFailure('the model has as many questions under way as it may')
    }
    if (!this.#pause.mayAsk()) throw new SelectFailure('the model failed several times and is left alone for a while')
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
      const answer = await this.#ask(prompt, AbortSignal.any([signal, limit]), this.#parts.now() + timeoutMs)
      this.#pause.succeeded()
      return readChoices(answer, prompt.candidates)
    } catch (error) {
      signal.throwIfAborted()
      const failure = limit.aborted ? late(timeoutMs, error) : error
      if (failure instanceof SelectFailure && failure.isOutage) this.#pause.failed()
      throw failure
    }
  }

  /** Tries again after failures that pass, later each time and never beyond the time limit. */
  async #ask(prompt: Prompt, signal: AbortSignal, until: number): Promise<unknown> {
    const { attempts = 3 } = this.#options
    for (let attempt = 1; ; ) {
      const way = this.#way
      try {
        const request = this.#api.request(prompt, way)
        return this.#api.read(await post({ address: this.#api.address, request, fetch: this.#parts.fetch, signal }))
      } catch (error) {
        if (!(error instanceof SelectFailure)) throw error
        if (error.isMisunderstood) {
          // Who understands no way at all is asked in the best one the next time.
          this.#way = (way + 1) % this.#api.ways
          if (this.#way !== 0) continue
        }
        const delay = this.#delayAfter(error, attempt)
        if (!error.isPassing || attempt >= attempts || this.#parts.now() + delay >= until) throw error
        attempt += 1
        await this.#parts.wait(delay, signal)
      }
    }
  }

  /** The jitter keeps several processes from coming back at once. */
  #delayAfter({ retryAfterMs = 0 }: SelectFailure, attempt: number): number {
    const delay = FIRST_DELAY_MS * 2 ** (attempt - 1)
    return Math.max(retryAfterMs, delay * (0.5 + this.#parts.random() / 2))
  }
}

function late(timeoutMs: number, cause: unknown): SelectFailure {
  return new SelectFailure(`the model did not choose within ${timeoutMs} ms`, { isOutage: true, cause })
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal })
}
