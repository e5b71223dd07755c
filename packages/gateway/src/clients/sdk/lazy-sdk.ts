import type { Exchange } from '../http/exchange.ts'
import type { SdkPath, SdkPathParts } from './sdk-path.ts'

/** What the SDK's server is asked to do with a request. */
export type SdkAnswer = (sdk: SdkPath, exchange: Exchange) => void | Promise<void>

/** The SDK's server, loaded when it is first needed: 15 MB that a gateway at rest, or of plain clients, never takes. */
export class LazySdk {
  readonly #parts: SdkPathParts
  #sdk: SdkPath | undefined

  constructor(parts: SdkPathParts) {
    this.#parts = parts
  }

  async answer(exchange: Exchange, answer: SdkAnswer): Promise<void> {
    this.#sdk ??= await this.#load()
    // Who left meanwhile would never be noticed to leave.
    if (!exchange.res.destroyed) await answer(this.#sdk, exchange)
  }

  sweep(isValid: Parameters<SdkPath['sweep']>[0]): void {
    this.#sdk?.sweep(isValid)
  }

  async close(): Promise<void> {
    await this.#sdk?.close()
  }

  async #load(): Promise<SdkPath> {
    const { SdkPath } = await import('./sdk-path.ts')
    // Whoever waited for the same load may have been faster.
    this.#sdk ??= new SdkPath(this.#parts)
    return this.#sdk
  }
}
