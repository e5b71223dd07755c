import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The admin API, with the token of the owner of the data folder. */
export class AdminCalls {
  readonly #url: string
  readonly #token: string

  constructor(url: string, dataDir: string) {
    const record = JSON.parse(readFileSync(join(dataDir, 'gateway.json'), 'utf8')) as { token: string }
    this.#url = url
    this.#token = record.token
  }

  async projectIds(): Promise<readonly string[]> {
    const { items } = await this.#ask('GET', '/projects')
    return (items as { id: string }[]).map(({ id }) => id)
  }

  async createProject(id: string): Promise<void> {
    await this.#ask('POST', '/projects', { id, name: id, servers: [] })
  }

  /** Larger than the free pages of a database. */
  async tryLargeProject(id: string): Promise<{ readonly status: number; readonly answer: string }> {
    const tools = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, at) => [`good:tool-${at}`, { description: 'x'.repeat(300) }]),
    )
    const response = await this.#send('POST', '/projects', { id, name: id, servers: ['good'], tools })
    return { status: response.status, answer: (await response.text()).slice(0, 1_000) }
  }

  async createToken(name: string): Promise<{ readonly secret: string; readonly id: string }> {
    const answer = await this.#ask('POST', '/tokens', { name })
    return {
      secret: String(answer['secret']),
      id: String((answer['token'] as { id?: string } | undefined)?.id ?? answer['id']),
    }
  }

  async createServer(id: string, config: object): Promise<void> {
    await this.#ask('POST', '/servers', { id, ...config })
  }

  async #ask(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>> {
    const response = await this.#send(method, path, body)
    const answer = (await response.json()) as Readonly<Record<string, unknown>>
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
    return answer
  }

  #send(method: string, path: string, body?: object): Promise<Response> {
    return fetch(`${this.#url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }
}
