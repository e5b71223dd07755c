import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AskedRegistry, RegistryServer } from '@tooldex/contract/admin'
import { isRecord } from '@tooldex/http-kit/json'
import { getJson, PostError } from '@tooldex/http-kit/post'
import { entrySchema, officialSchema } from './server-json.ts'
import { readWays, shownWay, type Way } from './ways.ts'

/** A registry to ask. */
export interface RegistrySource {
  readonly url: string
  /** Sent to this registry only. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A server that a registry lists, and the ways to run or reach it, in the order of `server.ways`. */
export interface Listed {
  readonly server: Omit<RegistryServer, 'suggestedId'>
  readonly ways: readonly Way[]
}

/** The servers that were found, and how each registry answered. */
export interface Found {
  readonly listed: readonly Listed[]
  readonly registries: readonly AskedRegistry[]
}

/** The registries, and where their answers are kept. */
export interface RegistriesOptions {
  readonly sources: readonly RegistrySource[]
  /** The folder for answers. */
  readonly folder: string
  readonly now: () => number
  readonly fetch?: typeof fetch
  /** How long a registry may take for all pages of a search. */
  readonly timeoutMs?: number
}

const PAGE = 100
const MOST_PAGES = 5
const MOST_FOUND = 50
const MOST_WORDS = 4
const MOST_BYTES = 4 * 1024 * 1024
const TIMEOUT_MS = 10_000
/** A newer answer is used without asking again. */
const FRESH_MS = 10 * 60_000
/** An older answer is not used, even if the registry cannot be reached. */
const KEPT_MS = 30 * 86_400_000
const MOST_KEPT = 100

/** Searches registries that speak the official MCP registry API. */
export class Registries {
  readonly #options: RegistriesOptions

  constructor(options: RegistriesOptions) {
    this.#options = options
  }

  /** Servers that fit the words, best first. Never throws because of a registry. */
  async search(text: string, { refresh = false } = {}): Promise<Found> {
    // A registry compares the text with a part of the name, so that each word is a search of its own.
    const words = text.includes('/') ? [text.trim()] : wordsOf(text).slice(0, MOST_WORDS)
    const answers = await Promise.all(
      this.#options.sources.map(async (source) => ({
        url: baseOf(source),
        answers: await Promise.all(words.map((word) => this.#answer(source, word, refresh))),
      })),
    )
    const read = answers.map(({ url, answers: each }) => readAnswers(url, each))
    const listed = read.flatMap((each) => each.listed)
    return { listed: inOrder(listed, text).slice(0, MOST_FOUND), registries: read.map(({ registry }) => registry) }
  }

  /** The server of exactly this name, from the first registry that lists it, or from the given one. */
  async find(name: string, registry?: string): Promise<{ readonly listed?: Listed; readonly found: Found }> {
    const found = await this.search(name)
    const listed = found.listed.find(
      ({ server }) => server.name === name && (registry === undefined || server.registry === registry),
    )
    return { found, ...(listed !== undefined && { listed }) }
  }

  async #answer(source: RegistrySource, word: string, refresh: boolean): Promise<Answer> {
    const { now } = this.#options
    const file = this.#fileOf(source, word)
    const kept = await readKept(file)
    if (kept !== undefined && !refresh && Math.abs(now() - kept.at) < FRESH_MS) return { ...kept, isCached: true }
    try {
      const fetched = { ...(await this.#fetchAll(source, word)), at: now() }
      await this.#keep(file, fetched)
      return { ...fetched, isCached: false }
    } catch (error) {
      const problem = error instanceof PostError ? error.message : 'cannot be asked'
      const isUsable = kept !== undefined && now() - kept.at < KEPT_MS
      return { ...(isUsable ? kept : { entries: [], isComplete: false }), isCached: isUsable, problem }
    }
  }

  async #fetchAll(source: RegistrySource, word: string): Promise<Pick<Answer, 'entries' | 'isComplete'>> {
    const signal = AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS)
    const entries: unknown[] = []
    const seen = new Set<string>()
    let cursor: string | undefined
    let version = 'v0.1'
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const ask = (): Promise<unknown> => this.#page(source, { word, cursor, version, signal })
      const answer = await ask().catch((error: unknown) => {
        // Registries from before the API was frozen.
        if (!(error instanceof PostError) || error.status !== 404 || page > 0) throw error
        version = 'v0'
        return ask()
      })
      if (!isRecord(answer) || !Array.isArray(answer['servers'])) {
        throw new PostError('not-json', 'answered with something that is not a list of servers')
      }
      entries.push(...(answer['servers'] as unknown[]).slice(0, PAGE))
      cursor = nextCursor(answer['metadata'])
      if (cursor === undefined || seen.has(cursor)) return { entries, isComplete: true }
      seen.add(cursor)
    }
    return { entries, isComplete: false }
  }

  async #page(source: RegistrySource, { word, cursor, version, signal }: PageAsk): Promise<unknown> {
    const url = new URL(`${baseOf(source)}/${version}/servers`)
    url.searchParams.set('search', word)
    url.searchParams.set('version', 'latest')
    url.searchParams.set('limit', String(PAGE))
    if (cursor !== undefined) url.searchParams.set('cursor', cursor)
    const { fetch: send, timeoutMs = TIMEOUT_MS } = this.#options
    try {
      return await getJson({
        url,
        maxBytes: MOST_BYTES,
        signal,
        ...(source.headers !== undefined && { headers: source.headers }),
        ...(send !== undefined && { fetch: send }),
      })
    } catch (error) {
      if (signal.aborted)
        throw new PostError('timeout', `did not answer within ${timeoutMs / 1_000} s`, { cause: error })
      throw error
    }
  }

  #fileOf(source: RegistrySource, word: string): string {
    const hash = createHash('sha256')
      .update(`${baseOf(source)}\n${word.toLowerCase()}`)
      .digest('hex')
      .slice(0, 32)
    return join(this.#options.folder, `${hash}.json`)
  }

  /** A lost answer only costs a request, so that failures are ignored. */
  async #keep(file: string, answer: Kept): Promise<void> {
    const { folder } = this.#options
    const temporary = `${file}.${process.pid}.tmp`
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(temporary, JSON.stringify({ format: FORMAT, ...answer }), { mode: 0o600 })
      await rename(temporary, file)
      await removeOldest(folder)
    } catch {
      await rm(temporary, { force: true }).catch(() => {})
    }
  }
}

interface PageAsk {
  readonly word: string
  readonly cursor: string | undefined
  readonly version: string
  readonly signal: AbortSignal
}

interface Kept {
  readonly at: number
  readonly entries: readonly unknown[]
  readonly isComplete: boolean
}

interface Answer extends Omit<Kept, 'at'> {
  /** Absent if the registry never answered. */
  readonly at?: number
  readonly isCached: boolean
  readonly problem?: string
}

const FORMAT = 1

async function readKept(file: string): Promise<Kept | undefined> {
  try {
    const { size } = await stat(file)
    if (size > MOST_PAGES * MOST_BYTES) return undefined
    const kept: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (!isRecord(kept) || kept['format'] !== FORMAT) return undefined
    const { at, entries, isComplete } = kept
    if (typeof at !== 'number' || !Array.isArray(entries)) return undefined
    return { at, entries: entries as unknown[], isComplete: isComplete === true }
  } catch {
    // Missing or damaged: the registry is asked.
    return undefined
  }
}

async function removeOldest(folder: string): Promise<void> {
  const names = await readdir(folder)
  if (names.length <= MOST_KEPT) return
  const files = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0 })),
  )
  const oldest = files.toSorted((a, b) => a.at - b.at).slice(0, names.length - MOST_KEPT)
  await Promise.all(oldest.map(({ name }) => rm(join(folder, name), { force: true })))
}

function baseOf({ url }: RegistrySource): string {
  return url.replace(/\/+$/, '').replace(/\/v0(?:\.1)?(?:\/servers)?$/, '')
}

function nextCursor(metadata: unknown): string | undefined {
  if (!isRecord(metadata)) return undefined
  const cursor = metadata['nextCursor'] ?? metadata['next_cursor']
  return typeof cursor === 'string' && cursor !== '' && cursor.length <= 1_000 ? cursor : undefined
}

/** The entries of one registry: each server once, in its latest version, without deleted ones. */
function readAnswers(url: string, answers: readonly Answer[]): { listed: Listed[]; registry: AskedRegistry } {
  const byName = new Map<string, { readonly listed: Listed; readonly isLatest: boolean }>()
  let skipped = 0
  for (const entry of answers.flatMap(({ entries }) => entries)) {
    const read = readEntry(entry, url)
    if (read === 'deleted') continue
    if (read === undefined) skipped += 1
    else if (byName.get(read.listed.server.name)?.isLatest !== true) byName.set(read.listed.server.name, read)
  }
  const times = answers.flatMap(({ at }) => (at === undefined ? [] : [at]))
  const problem = answers.find((answer) => answer.problem !== undefined)?.problem
  return {
    listed: [...byName.values()].map(({ listed }) => listed),
    registry: {
      url,
      ...(times.length > 0 && { fetchedAt: Math.min(...times) }),
      isCached: answers.some(({ isCached }) => isCached),
      isComplete: answers.every(({ isComplete }) => isComplete),
      skipped,
      ...(problem !== undefined && { problem }),
    },
  }
}

const OFFICIAL_KEY = 'io.modelcontextprotocol.registry/official'

function readEntry(entry: unknown, registry: string): { listed: Listed; isLatest: boolean } | 'deleted' | undefined {
  if (!isRecord(entry)) return undefined
  const { server = entry, _meta: meta } = entry
  const read = entrySchema.safeParse(server)
  const official = officialSchema.parse(isRecord(meta) ? meta[OFFICIAL_KEY] : undefined)
  if (!read.success) return undefined
  if (official.status === 'deleted') return 'deleted'
  const { name, title, description, version, repository, websiteUrl, packages, remotes } = read.data
  const { ways, unusable } = readWays(packages, remotes, new URL(registry))
  const publishedAt = Date.parse(official.publishedAt ?? '')
  const links = { repository: webAddress(repository?.url), website: webAddress(websiteUrl) }
  return {
    isLatest: official.isLatest === true,
    listed: {
      ways,
      server: {
        registry,
        name,
        ...(title !== undefined && title !== '' && { title }),
        description,
        publisher: name.slice(0, name.indexOf('/')),
        version,
        status: official.status,
        ...(official.statusMessage !== undefined && { statusMessage: official.statusMessage }),
        ...(links.repository !== undefined && { repository: links.repository }),
        ...(links.website !== undefined && { website: links.website }),
        ...(Number.isFinite(publishedAt) && publishedAt >= 0 && { publishedAt }),
        ways: ways.map(shownWay),
        unusable,
      },
    },
  }
}

/** Only what a browser opens as a page: no `javascript:` and the like. */
function webAddress(text: string | undefined): string | undefined {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' ? url.href : undefined
}

const wordsOf = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}._-]+/u)
      .filter((word) => word !== ''),
  ),
]

/** Servers with more of the words come first, those in use before deprecated ones, then the registries' own order. */
function inOrder(listed: readonly Listed[], text: string): Listed[] {
  const words = wordsOf(text)
  const score = ({ server }: Listed): number => {
    const name = server.name.toLowerCase()
    if (name === text.trim().toLowerCase()) return Number.POSITIVE_INFINITY
    const own = name.slice(name.indexOf('/') + 1)
    const rest = `${server.title ?? ''} ${server.description}`.toLowerCase()
    const fits = words.map(
      (word) => (own.includes(word) ? 4 : name.includes(word) ? 2 : 0) + (rest.includes(word) ? 1 : 0),
    )
    const exact = words.includes(own) ? 2 : 0
    return (
      fits.reduce((sum, each) => sum + each, exact) -
      (server.status === 'deprecated' ? 3 : 0) -
      (server.ways.length === 0 ? 3 : 0)
    )
  }
  const scored = listed.map((each, index) => ({ each, index, score: score(each) }))
  return scored
    .toSorted((a, b) => (a.score === b.score ? a.index - b.index : b.score - a.score))
    .map(({ each }) => each)
}
