import { checkConfig, type EmbeddingsConfig } from '@tooldex/contract'
import { GatewayError } from '../errors.ts'

/** Who turns texts into vectors, as `tooldex search-api` takes it. */
export interface SearchApiEmbeddingsOptions {
  readonly embeddings?: EmbeddingsConfig['provider']
  readonly embeddingsUrl?: string
  readonly embeddingsModel?: string
  readonly embeddingsDimensions?: number
}

/** Secrets come from the environment: arguments can be seen by everybody on the machine. */
const KEY_VARIABLE = 'TOOLDEX_EMBEDDINGS_API_KEY'

/**
 * The same settings as a gateway's `embeddings`, by the same rules. An address alone says that it is a service.
 * @throws GatewayError INVALID_ARGUMENTS with every problem, by the name of the option
 */
export function embeddingsConfig(
  options: SearchApiEmbeddingsOptions,
  variables: Readonly<Record<string, string | undefined>>,
): EmbeddingsConfig {
  const { embeddings, embeddingsUrl: url, embeddingsModel: model, embeddingsDimensions: dimensions } = options
  const provider = embeddings ?? (url === undefined && model === undefined ? 'static' : 'http')
  if (provider === 'http' && (url === undefined || model === undefined)) {
    throw usage('--embeddings http needs --embeddings-url and --embeddings-model')
  }
  const apiKey = variables[KEY_VARIABLE]?.trim() ?? ''
  const { config, problems } = checkConfig({
    embeddings: {
      provider,
      ...(url !== undefined && { url }),
      ...(model !== undefined && { model }),
      ...(dimensions !== undefined && { dimensions }),
      ...(provider === 'http' && apiKey !== '' && { apiKey }),
    },
  })
  if (config !== undefined) return config.embeddings
  throw usage(problems.map(({ path, message }) => `--${path.join('-')} ${message}`).join('; '))
}

/** For people: where vectors come from. */
export function embedderName({ provider, url, model }: EmbeddingsConfig): string {
  switch (provider) {
    case 'static':
      return 'built-in table'
    case 'transformer':
      return 'sentence model'
    case 'http':
      return `${model} at ${new URL(url ?? '').host}`
  }
}

function usage(reason: string): GatewayError {
  return new GatewayError('INVALID_ARGUMENTS', { reason })
}
