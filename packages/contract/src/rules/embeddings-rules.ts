import type { ConfigProblem } from '../config-problem.ts'
import { asObject, type RawConfig } from './raw-config.ts'

const OF_A_SERVICE = ['url', 'model', 'apiKey', 'dimensions', 'weight'] as const

/** A service has an address and a model; what belongs to one does nothing without. */
export function embeddingsRules({ top }: RawConfig): ConfigProblem[] {
  const embeddings = asObject(top['embeddings'])
  if (embeddings['provider'] === 'http') {
    const missing = (['url', 'model'] as const).filter((key) => embeddings[key] === undefined)
    return missing.map((key) => ({ path: ['embeddings'], message: `needs ${key}, because provider is http` }))
  }
  return OF_A_SERVICE.filter((key) => embeddings[key] !== undefined).map((key) => ({
    path: ['embeddings', key],
    message: 'has no effect unless provider is http',
    isKey: true,
  }))
}
