import type { ConfigProblem } from '../config-problem.ts'
import { asObject, type RawConfig, unknownName } from './raw-config.ts'

/** Tokens are for a service that has an address, and for projects that exist. */
export function searchApiRules({ top, projects }: RawConfig): ConfigProblem[] {
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
