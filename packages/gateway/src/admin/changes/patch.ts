import { SAME_SETTINGS } from '@tooldex/contract'

type Patch = Readonly<Record<string, unknown>> & { readonly unset?: readonly string[] | undefined }

/** Keys of a server that exclude each other: setting one removes the others. */
const SERVER_ALTERNATIVES: readonly (readonly string[])[] = [['enabled', 'disabled']]
const PROGRAM_KEYS = ['command', 'args', 'env', 'envFile', 'cwd'] as const
const ADDRESS_KEYS = ['url', 'headers', 'auth'] as const

/** Applies a patch: given keys replace, absent keys stay, `unset` removes. A setting replaces its own aliases. */
export function patched<Config extends object>(config: Config, patch: Patch): Config {
  return applied(config, { ...metamcpMark(config, patch), ...patch }, SAME_SETTINGS)
}

/** MetaMCP's search methods, and settings of MetaMCP that change nothing. */
const METAMCP_MARKS = [
  ['default_search_method', { default_tool_visibility: 'ALL' }],
  ['override_search_method', { override_tool_visibility: 'INHERIT' }],
] as const

/** Keeps the marks of MetaMCP where its search method is replaced, so that search can be turned off and on without any other effect. */
function metamcpMark(config: object, patch: Patch): Patch {
  const isReplaced = patch['optimization'] !== undefined || patch['strategy'] !== undefined
  const mark = METAMCP_MARKS.find(([method]) => isReplaced && Object.hasOwn(config, method))?.[1] ?? {}
  const isSet = (key: string): boolean =>
    (SAME_SETTINGS.find((names) => names.includes(key)) ?? [key]).some((name) => Object.hasOwn(config, name))
  return Object.fromEntries(Object.entries(mark).filter(([key]) => !isSet(key)))
}

/** Applies a patch to a server: a command replaces a URL and vice versa; limits change one by one. */
export function patchedServer<Config extends object>(config: Config, patch: Patch): Config {
  const { limits } = patch as { limits?: object }
  const current = (config as { limits?: object }).limits
  const merged = limits === undefined ? patch : { ...patch, limits: { ...current, ...present(limits) } }
  const gone = [
    ...(patch['url'] !== undefined && patch['command'] === undefined ? [...PROGRAM_KEYS, 'type'] : []),
    ...(patch['command'] !== undefined && patch['url'] === undefined ? [...ADDRESS_KEYS, 'type'] : []),
  ].filter((key) => patch[key] === undefined)
  return applied(config, { ...merged, unset: [...(patch.unset ?? []), ...gone] }, SERVER_ALTERNATIVES)
}

function applied<Config extends object>(
  config: Config,
  { unset = [], ...changes }: Patch,
  alternatives: readonly (readonly string[])[],
): Config {
  const given = present(changes)
  const replacedNames = alternatives.flatMap((names) => (names.some((name) => Object.hasOwn(given, name)) ? names : []))
  const gone = new Set([...unset, ...replacedNames])
  const kept = Object.entries(config).filter(([key]) => !gone.has(key))
  return { ...(Object.fromEntries(kept) as Config), ...given }
}

/** Drops keys whose value is undefined. */
function present(values: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
