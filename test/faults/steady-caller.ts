import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Calls a tool again and again, in a thread of its own, so that nothing but the gateway makes its calls slower. */
export class SteadyCaller implements AsyncDisposable {
  readonly #worker: Worker

  private constructor(worker: Worker) {
    this.#worker = worker
  }

  static async start(url: string, tool: string): Promise<SteadyCaller> {
    const worker = new Worker(new URL('./steady-caller-thread.ts', import.meta.url), { workerData: { url, tool } })
    await once(worker, 'message')
    return new SteadyCaller(worker)
  }

  /** How long the calls since the last time took, in milliseconds. @throws the failure of a call */
  async taken(): Promise<readonly number[]> {
    const answered = once(this.#worker, 'message')
    this.#worker.postMessage('report')
    const [taken] = (await answered) as [readonly number[]]
    return taken
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }
}
