import type { ConfigProblem } from '../config-problem.ts'
import { asObject, type RawConfig, unknownName } from './raw-config.ts'

/** Tokens need a service with an address, and existing projects. */
export function searchApiRules({ top, known: { projects } }: RawConfig): ConfigProblem[] {
  const searchApi = asObject(top['searchApi'])
  const known = new Set(['default', ...projects.keys()])
  const tokenProjects = Object.keys(asObject(searchApi['projectTokens']))
  const unknown = tokenProjects.filter((id) => !known.has(id))
  const idle = [
    ...(searchApi['token'] === undefined ? [] : ['token']),
    ...(tokenProjects.length === 0 ? [] : ['projectTokens']),
  ]
  return [
    ...unknown.map((id) => ({
      path: ['searchApi', 'projectTokens', id],
      message: unknownName('project', id, known),
      isKey: true,
    })),
    ...(searchApi['url'] === undefined ? idle : []).map((key) => ({
      path: ['searchApi', key],
      message: 'has no effect without url',
      isKey: true,
    })),
  ]
}

const OF_A_SERVICE = ['url', 'model', 'apiKey', 'dimensions', 'weight'] as const

/** A service needs an address and a model; its settings have no effect without one. */
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
