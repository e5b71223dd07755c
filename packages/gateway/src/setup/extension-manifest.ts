import type { JsonObject } from '@tooldex/http-kit/json'
import { asRecord } from '../config/merge-config.ts'
import type { Note } from './read-server.ts'

/** An installed extension of Claude Desktop. It is named and not imported: its files belong to the application. */
export function extensionNote(manifest: JsonObject): Note {
  const { command, args } = asRecord(asRecord(manifest['server'])['mcp_config'])
  const settings = asRecord(manifest['user_config'])
  const [missing, places] = [new Set<string>(), new Set<string>()]
  const fill = (text: string): string =>
    text.replace(/\$\{([^}]+)\}/g, (whole, name: string) => {
      const [, key] = /^user_config\.(.+)$/.exec(name) ?? []
      const fallback = key === undefined ? undefined : asRecord(settings[key])['default']
      if (typeof fallback === 'string') return fallback
      ;(key === undefined ? places : missing).add(name)
      return whole
    })
  const texts = Array.isArray(args) ? args.filter((each): each is string => typeof each === 'string') : []
  const filled = texts.map(fill)
  for (const value of Object.values(asRecord(asRecord(asRecord(manifest['server'])['mcp_config'])['env']))) {
    if (typeof value === 'string') fill(value)
  }
  return {
    code: 'extension',
    detail: { name: manifest['name'], command, args: filled, unresolved: [...missing, ...places] },
  }
}
