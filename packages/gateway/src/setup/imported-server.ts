import type { ServerConfig } from '@tooldex/contract'
import type { ReferenceSources } from '../config/substitute.ts'
import { readEnvFile } from '../config/resolve-servers.ts'
import type { ReadServer } from './read-server.ts'
import { effectiveText, storedText, type Template } from './template.ts'

/** A server as its client would start it now. */
export interface EffectiveServer {
  readonly transport: ReadServer['transport']
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The server with all references resolved as its client does. */
export function effectiveServer(server: ReadServer, sources: ReferenceSources): EffectiveServer {
  const { transport, command, args, env, envFile, cwd, url, headers } = server
  const text = (template: Template): string => effectiveText(template, sources) ?? ''
  const all = (templates: ReadonlyMap<string, Template>): Record<string, string> =>
    Object.fromEntries(
      [...templates].flatMap(([name, template]) => {
        const value = effectiveText(template, sources)
        return value === undefined ? [] : [[name, value] as const]
      }),
    )
  if (transport !== 'stdio') return { transport, ...(url && { url: text(url) }), headers: all(headers) }
  const file = envFile === undefined ? undefined : sources.readFile?.(text(envFile))
  return {
    transport,
    ...(command && { command: text(command) }),
    args: args.map(text),
    env: { ...(file !== undefined && readEnvFile(file)), ...all(env) },
    ...(cwd && { cwd: text(cwd) }),
  }
}

/**
 * The server as a stored configuration, its references in our spelling. A relative folder and a relative program belong to
 * the project of the file.
 */
export function storedServer(server: ReadServer, folder: string | undefined): Record<string, unknown> {
  const { transport, command, args, env, envFile, cwd, url, headers, auth, enabled, tools, asIs } = server
  const base = server.project ?? folder
  const where = cwd === undefined ? base : absoluteFolder(storedText(cwd), base)
  const limits = limitsOf(server)
  const denied = (tools?.deny ?? []).filter((name) => !name.includes('*') && name !== '__proto__')
  const all = (templates: ReadonlyMap<string, Template>): Record<string, string> =>
    Object.fromEntries([...templates].map(([name, template]) => [name, storedText(template)]))
  const target: Partial<ServerConfig> =
    transport === 'stdio'
      ? {
          ...(command && { command: storedText(command) }),
          ...(args.length > 0 && { args: args.map(storedText) }),
          ...(env.size > 0 && { env: all(env) }),
          ...(envFile && { envFile: storedText(envFile) }),
          ...(where !== undefined && { cwd: where }),
        }
      : {
          ...(url && { url: storedText(url) }),
          ...(transport === 'sse' && { type: 'sse' as const }),
          ...(headers.size > 0 && { headers: all(headers) }),
          ...(auth !== undefined && { auth: { type: 'oauth' as const, ...auth } }),
        }
  return {
    ...target,
    ...(!enabled && { enabled: false }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(denied.length > 0 && { toolPermissions: Object.fromEntries(denied.map((name) => [name, false])) }),
    ...asIs,
  }
}

/** Only limits that are longer than ours are taken over: a shorter one of a client is about its own patience. */
function limitsOf({ timeoutMs, startupTimeoutMs }: ReadServer): Record<string, number> {
  const call = timeoutMs !== undefined && timeoutMs > 60_000 ? timeoutMs : undefined
  const start = startupTimeoutMs !== undefined && startupTimeoutMs > 30_000 ? startupTimeoutMs : undefined
  return {
    ...(call !== undefined && { callTimeoutMs: call, ...(call > 600_000 && { maxCallTimeoutMs: call }) }),
    ...(start !== undefined && { startTimeoutMs: start }),
  }
}

function absoluteFolder(cwd: string, base: string | undefined): string {
  if (base === undefined || cwd.startsWith('/') || cwd.startsWith('$') || cwd.startsWith('~')) return cwd
  return cwd === '.' ? base : `${base}/${cwd.replace(/^\.\//, '')}`
}
