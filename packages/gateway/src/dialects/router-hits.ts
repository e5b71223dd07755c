import { cleanText } from '@tooldex/http-kit/clean-text'
import { uiResourceOf } from '../catalog/tool-ui.ts'
import { descriptionOf, exposedNameOf, ownNameOf } from '../exposure/listed-tool.ts'
import type { FoundTool, SearchAsk } from '../search/search-outcome.ts'
import type { SearchView } from './dialect.ts'
import { roundRelevance } from './own-tools.ts'
import { ownWords } from './own-words.ts'
import { signature } from './signature.ts'

type Hit = Readonly<Record<string, unknown>>

/** So many hits of a summary are ready to be called; then come short ones, and only names after these. */
const READY = 3
const SHORT = 10
/** A summary has at least so many hits, if they were found. */
const LEAST = 5

/** A token of a search answer, which is mostly names, has about this many characters. */
const CHARACTERS_PER_TOKEN = 3.8
/** A summary of up to ten hits aims at the first size, and never exceeds the second unless required parameters do. */
const SUMMARY_TOKENS = { aim: 590, most: 1_000 } as const
/** The size at which a full answer is cut. */
export const FULL_TOKENS = 6_000

/** The sizes of a hit, in characters. */
interface HitSize {
  readonly description: number
  readonly signature: number
  readonly notes?: boolean
}

/** Sizes of the short hits, largest first. */
const SHORT_SIZES: readonly HitSize[] = [
  { description: 90, signature: 100 },
  { description: 60, signature: 60 },
  { description: 48, signature: 40 },
]
/** For the short hits of an answer that must show all of them. */
const SHORTEST: HitSize = { description: 0, signature: 24 }
/** Sizes of a hit that is ready to be called, largest first. */
const READY_SIZES: readonly HitSize[] = [
  { description: 160, signature: 1_000 },
  { description: 160, signature: 700 },
  { description: 120, signature: 480 },
  { description: 100, signature: 320 },
  { description: 80, signature: 160 },
]

/**
 * The hits as `tool_discovery` shows them. They may be fewer than were found: as many as fit in a full answer, or in a
 * summary for which no number was asked.
 */
export function routerHits(
  found: readonly FoundTool[],
  { detail, isLimitGiven }: Pick<SearchAsk, 'detail' | 'isLimitGiven'>,
  view: SearchView,
): readonly Hit[] {
  if (detail === 'full') return fullHits(found, view)
  if (detail === 'minimal') return found.map((hit) => named(hit, view, {}))
  const rest = isLimitGiven === true ? found.slice(SHORT).map((hit) => named(hit, view, {})) : []
  return [...summary(found.slice(0, SHORT), isLimitGiven === true, view), ...rest]
}

/** The richest summary that fits: the short hits become shorter, then fewer, and then the schemas of the best ones shorter. */
function summary(found: readonly FoundTool[], showsAll: boolean, view: SearchView): readonly Hit[] {
  const ready = readable(found.slice(0, READY), view)
  const short = readable(found.slice(READY), view)
  const [whole, ...shorter] = READY_SIZES.map((size) => () => ready(size))
  const best = whole?.() ?? []
  let others: readonly Hit[] = []
  for (const size of SHORT_SIZES) {
    others = short(size)
    const hits = [...best, ...others]
    if (tokensOf(hits) <= SUMMARY_TOKENS.aim) return withNotes(hits, found, view)
  }
  const count = Math.max(LEAST, countWithin([...best, ...others], SUMMARY_TOKENS.aim))
  const shown = showsAll ? short(SHORTEST) : others.slice(0, count - READY)
  const most = SUMMARY_TOKENS.most - tokensOf([view.instructions ?? {}])
  if (tokensOf([...best, ...shown]) <= most) return [...best, ...shown]
  const shapes = shorter.map((each) => [...each(), ...shown])
  return shapes.find((shape) => tokensOf(shape) <= most) ?? shapes.at(-1) ?? shown
}

/** How many of the first hits fit. */
function countWithin(hits: readonly Hit[], most: number): number {
  let tokens = 0
  const over = hits.findIndex((hit) => (tokens += tokensOf([hit])) > most)
  return over < 0 ? hits.length : over
}

/** Uses what is left of the room for the descriptions of parameters, those of the best hit first. */
function withNotes(hits: readonly Hit[], found: readonly FoundTool[], view: SearchView): readonly Hit[] {
  let noted = hits
  for (let rank = 0; rank < Math.min(READY, found.length); rank++) {
    const size = { ...(READY_SIZES[0] as HitSize), notes: true }
    const [hit] = readable(found.slice(rank, rank + 1), view)(size)
    const next = noted.with(rank, hit as Hit)
    if (tokensOf(next) > SUMMARY_TOKENS.aim) break
    noted = next
  }
  return noted
}

const readable =
  (found: readonly FoundTool[], view: SearchView) =>
  (size: HitSize): readonly Hit[] =>
    found.map((hit) => {
      const { tool } = hit
      const words = size.description === 0 ? undefined : ownWords(tool, view.eligible, size.description < 100)
      return named(hit, view, {
        ...(words !== undefined && { description: cleanText(words, size.description) }),
        signature: signature('', tool.definition.inputSchema, {
          most: size.signature,
          ...(size.notes === true && { notes: true }),
        }),
        ...hintsOf(hit),
      })
    })

function fullHits(found: readonly FoundTool[], view: SearchView): readonly Hit[] {
  const hits: Hit[] = []
  let left: number = FULL_TOKENS
  for (const hit of found) {
    const whole = named(hit, view, wholeOf(hit, view))
    left -= tokensOf([whole])
    // The first one is shown whatever its size.
    if (left < 0 && hits.length > 0) break
    hits.push(whole)
  }
  return hits
}

function wholeOf({ tool }: FoundTool, view: SearchView): Hit {
  const { inputSchema, outputSchema, annotations } = tool.definition
  const { _meta: meta } = tool.definition as { readonly _meta?: unknown }
  const description = descriptionOf(tool, view.eligible.project)
  return {
    ...(description !== undefined && { description }),
    inputSchema: inputSchema ?? { type: 'object' },
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
    ...(meta !== undefined && { _meta: meta }),
  }
}

function named({ tool, relevance, explanation }: FoundTool, view: SearchView, details: Hit): Hit {
  return {
    toolKey: tool.key,
    toolName: ownNameOf(tool, view.eligible.project),
    serverName: tool.serverName,
    ...(view.callsByName && { name: exposedNameOf(tool, view.names) }),
    ...details,
    relevance: roundRelevance(relevance),
    ...(explanation !== undefined && { explanation }),
  }
}

/**
 * Whether the tool only reads, or destroys, as its server declares, and whether its results are shown to the user (MCP Apps).
 * A tool that only reads destroys nothing.
 */
function hintsOf({ tool }: FoundTool): Hit {
  const { readOnlyHint, destructiveHint } = (tool.definition.annotations ?? {}) as Hit
  const shown = uiResourceOf(tool.definition) === undefined ? {} : { ui: true }
  if (readOnlyHint === true) return { annotations: { readOnlyHint }, ...shown }
  return typeof destructiveHint === 'boolean' ? { annotations: { destructiveHint }, ...shown } : shown
}

function tokensOf(hits: readonly Hit[]): number {
  return Math.ceil(JSON.stringify(hits).length / CHARACTERS_PER_TOKEN)
}
