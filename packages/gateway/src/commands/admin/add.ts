import type { AskedRegistry, RegistryInput, RegistryServer, RegistryWay, RouteAnswer } from '@tooldex/contract/admin'
import { GatewayError } from '../../errors.ts'
import type { CommonOptions } from '../terminal/command-options.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { openPrompt, type Prompt } from '../terminal/prompt.ts'
import { clean, facts, moment, table } from '../terminal/terminal.ts'
import { type Admin, answer } from './admin.ts'

/** Options of `tooldex add`. */
export interface AddOptions extends CommonOptions {
  readonly yes?: boolean
  readonly set?: readonly string[]
  readonly id?: string
  readonly way?: string
  readonly registry?: string
  readonly refresh?: boolean
}

/** `tooldex add`: search, choose, ask for inputs, add. */
export async function addFound(admin: Admin, words: readonly string[], options: AddOptions): Promise<number> {
  const { client, context } = admin
  const search = words.join(' ')
  const values = valuesOf(options.set, context.environment.variables)
  const refresh = options.refresh === true ? ({ refresh: 'true' } as const) : {}
  const found = ofRegistry(await client.ask('searchRegistry', { query: { search, ...refresh } }), options.registry)
  if (options.json !== true) context.terminal.err(found.registries.flatMap(noteOf).join(''))
  refuseSilence(found)
  const exact = found.items.find(({ name }) => name === search)
  if (options.yes === true && exact === undefined) throw notExact(search, found)
  const prompt =
    options.yes === true || options.json === true ? undefined : openPrompt(context.terminal, context.streams.input)
  try {
    if (prompt === undefined && options.yes !== true) return answer(admin, found, listing(admin, search, found))
    const server = exact ?? (prompt && (await choose(admin, prompt, search, found)))
    if (server === undefined) return nothingAdded(admin)
    const way = wayOf(server, options.way)
    if (options.json !== true) context.terminal.err(`${described(admin, server, way).join('\n')}\n`)
    const given = prompt === undefined ? values : await askForInputs(prompt, way.inputs, values)
    const id = options.id ?? server.suggestedId
    if (prompt !== undefined && !isYes(given && (await prompt.ask(`Add it as ${id}? [Y/n]`))))
      return nothingAdded(admin)
    const { registry, name } = server
    const body = { registry, name, way: way.id, id, values: given ?? values }
    return answerAdded(admin, await client.ask('addFromRegistry', { body }))
  } finally {
    prompt?.close()
  }
}

type Found = RouteAnswer<'searchRegistry'>

function ofRegistry(found: Found, url: string | undefined): Found {
  if (url === undefined) return found
  const wanted = url.replace(/\/+$/, '')
  const registries = found.registries.filter((each) => each.url === wanted)
  if (registries.length > 0) return { registries, items: found.items.filter(({ registry }) => registry === wanted) }
  throw new GatewayError('INVALID_ARGUMENTS', {
    reason: `${url} is not a configured registry`,
    remedy: `Add it to "registries" in tooldex.json; configured are ${found.registries.map((each) => each.url).join(', ') || 'none'}`,
  })
}

function noteOf({ url, problem, isCached, fetchedAt, isComplete, skipped }: AskedRegistry): string[] {
  const kept = isCached && fetchedAt !== undefined ? `; showing its answer of ${moment(fetchedAt)} UTC` : ''
  return [
    ...(problem === undefined ? [] : [`  ${clean(`${url} ${problem}`)}${kept}\n`]),
    ...(skipped === 0 ? [] : [`  ${url}: ${skipped} entries are not valid and were left out\n`]),
    ...(isComplete || problem !== undefined ? [] : [`  ${url} has more entries; use more exact words\n`]),
  ]
}

/** @throws GatewayError if no registry gave an answer, now or earlier */
function refuseSilence({ registries }: Found): void {
  if (registries.length === 0) {
    throw new GatewayError('INVALID_ARGUMENTS', {
      reason: 'no registry is configured',
      remedy: 'Add one to "registries" in tooldex.json, or use `tooldex server add`',
    })
  }
  if (registries.some(({ fetchedAt }) => fetchedAt !== undefined)) return
  throw new GatewayError('REGISTRY_UNAVAILABLE', {
    reason: registries.map(({ url, problem = 'did not answer' }) => `${url} ${problem}`).join('; '),
    remedy: 'Try again later, or use `tooldex server add`',
  })
}

function notExact(name: string, { items }: Found): GatewayError {
  const similar = items.slice(0, 5).map((item) => item.name)
  return new GatewayError('SERVER_NOT_FOUND', {
    server: name,
    reason: `no registry lists a server of exactly the name ${JSON.stringify(name)}`,
    remedy: similar.length === 0 ? 'Use other words without --yes' : `Similar: ${similar.join(', ')}`,
  })
}

function listing({ context: { terminal } }: Admin, search: string, { items }: Found): string[] {
  if (items.length === 0) return [`  no server found for ${JSON.stringify(search)}`]
  const rows = items.map((server, index) => {
    const [way] = server.ways
    const needs = way?.inputs.filter((input) => input.isRequired && input.default === undefined) ?? []
    const source = way === undefined ? 'cannot be added' : (way.package ?? way.connects ?? '')
    const notes = [server.status === 'deprecated' ? '(deprecated)' : '', server.description]
    return [
      ...[String(index + 1), server.name, server.version, way?.transport ?? '-', source],
      ...[needs.map(({ key }) => key).join(', ') || '-', notes.join(' ')],
    ]
  })
  const head = ['', 'server', 'version', 'transport', 'package or address', 'needs', '']
  return [...table(head, rows, terminal), '  add one: tooldex add <server> --yes']
}

async function choose(admin: Admin, prompt: Prompt, search: string, found: Found): Promise<RegistryServer | undefined> {
  const lines = listing(admin, search, found)
  admin.context.terminal.out(`${(found.items.length === 0 ? lines : lines.slice(0, -1)).join('\n')}\n`)
  while (found.items.length > 0) {
    const typed = await prompt.ask('Which one? Number or name, Enter for none:')
    if (typed === undefined || typed === '') return undefined
    const chosen = found.items[Number(typed) - 1] ?? found.items.find(({ name }) => name === typed)
    if (chosen !== undefined) return chosen
    admin.context.terminal.err(`  there is no ${clean(typed)} in the list\n`)
  }
  return undefined
}

/** @throws GatewayError INVALID_ARGUMENTS */
function wayOf({ name, ways, unusable }: RegistryServer, wanted: string | undefined): RegistryWay {
  const way = ways.find((each) => wanted === undefined || [each.kind, each.package, each.connects].includes(wanted))
  if (way !== undefined) return way
  const reasons = unusable.map(({ what, reason }) => `${what} ${reason}`).join('; ')
  const others = ways.map((each) => each.package ?? each.connects ?? each.kind).join(', ')
  throw new GatewayError('INVALID_ARGUMENTS', {
    reason:
      wanted === undefined || ways.length === 0
        ? `${name} cannot be added: ${reasons || 'the registry names no package and no address'}`
        : `${name} has no ${wanted}; it has ${others}`,
  })
}

function described({ context: { terminal } }: Admin, server: RegistryServer, way: RegistryWay): string[] {
  const others = server.ways.filter((each) => each !== way).map((each) => each.package ?? each.connects ?? each.kind)
  const optional = way.inputs
    .filter((input) => !input.isRequired)
    .map(({ key, default: usual }) => (usual ? `${key} (${usual})` : key))
  return facts(
    [
      ['server', server.title === undefined ? server.name : `${server.name} (${server.title})`],
      ['publisher', server.publisher],
      ['version', server.version],
      ['deprecated', server.status === 'deprecated' ? (server.statusMessage ?? 'yes') : undefined],
      ['sources', server.repository],
      ['runs', way.runs],
      ['connects to', way.connects],
      ['optional', optional.length === 0 ? undefined : `${optional.join(', ')}; give them with --set`],
      ['other ways', others.length === 0 ? undefined : `${others.join(', ')}; choose with --way`],
    ],
    terminal,
  )
}

/** Asks for required inputs without a value; undefined if the person gave up. */
async function askForInputs(
  prompt: Prompt,
  inputs: readonly RegistryInput[],
  values: Readonly<Record<string, string>>,
): Promise<Record<string, string> | undefined> {
  const given = new Map(Object.entries(values))
  for (const input of inputs) {
    if (!input.isRequired || given.has(input.key)) continue
    const { key, description, choices, default: usual, placeholder, isSecret, isRepeated } = input
    const hints = [
      description,
      choices?.join(' | '),
      placeholder && `such as ${placeholder}`,
      isRepeated ? 'commas between several' : undefined,
    ]
    const hint = hints.filter(Boolean).join('; ')
    const typed = await prompt.ask(
      `${key}${hint === '' ? '' : ` (${hint})`}${usual === undefined ? '' : ` [${usual}]`}:`,
      { hidden: isSecret },
    )
    if (typed === undefined) return undefined
    // An empty answer leaves the input open: the server is then added switched off.
    if (typed !== '') given.set(key, isRepeated ? typed.split(/\s*,\s*/).join('\n') : typed)
  }
  return Object.fromEntries(given)
}

const isYes = (typed: string | undefined): boolean => typed !== undefined && /^(?:y(?:es)?)?$/i.test(typed)

function nothingAdded({ context: { terminal } }: Admin): number {
  terminal.err('  nothing was added\n')
  return EXIT.ok
}

function answerAdded(admin: Admin, added: RouteAnswer<'addFromRegistry'>): number {
  const { server, missing } = added
  const [first = ''] = missing
  const state = admin.client.isLive
    ? `  state: ${server.status?.state ?? 'starting'}; check again: tooldex server show ${server.id}`
    : '  no gateway is running; the server starts with the next `tooldex serve`'
  const off = `  it is switched off until it has ${missing.join(', ')}: tooldex server set ${server.id} --input ${first}=…`
  return answer(admin, added, [`  added the server ${server.id}`, missing.length > 0 ? off : state])
}

/** `KEY=value`, or `KEY` for an environment variable. A key that is given twice has several values. @throws GatewayError */
function valuesOf(
  texts: readonly string[] = [],
  variables: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const values = new Map<string, string>()
  for (const text of texts) {
    const at = text.indexOf('=')
    const key = (at < 0 ? text : text.slice(0, at)).trim()
    const value = at < 0 ? variables[key] : text.slice(at + 1)
    // The message leaves out the value, because it may be a secret.
    if (key === '') throw new GatewayError('INVALID_ARGUMENTS', { reason: '--set takes KEY=value' })
    if (value === undefined) {
      const reason = `--set ${key}: there is no environment variable ${key}`
      throw new GatewayError('INVALID_ARGUMENTS', { reason, remedy: `Set it, or use --set ${key}=…` })
    }
    const before = values.get(key)
    values.set(key, before === undefined ? value : `${before}\n${value}`)
  }
  return Object.fromEntries(values)
}
