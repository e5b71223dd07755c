import type { EligibleTools } from '../../../access/eligible-tools.ts'
import type { ExposedNames } from '../../../access/exposed-names.ts'
import type { Dialect, ToolResult } from '../../../dialects/dialect.ts'
import { instructionsWith } from '../../../dialects/first-sight.ts'
import { invalidArguments } from '../../../dialects/own-tools.ts'
import { type DecidedExposure, takesCallsByName } from '../../../exposure/decide-exposure.ts'
import type { ResolvedDisclosure } from '../../../model/settings.ts'
import type { ToolKey } from '../../../model/tool-key.ts'
import { GatewayError } from '../../../errors.ts'
import type { SearchAsk, SearchOutcome } from '../../../search/search-outcome.ts'
import type { SearchContext, ToolSearch } from '../../../search/tool-search.ts'

/** A call of the search tool. */
export interface SearchCall {
  readonly dialect: Dialect
  /** The arguments as they came. */
  readonly input: unknown
  readonly eligible: EligibleTools
  readonly settings: ResolvedDisclosure
  readonly mode: DecidedExposure
  /** Most searches need no names, and those of thousands of tools take long to make. */
  readonly names: () => ExposedNames
  /** Whether found tools are added to the caller's list: `limited`, in a session. */
  readonly listGrows: boolean
  /** Servers whose instructions the session has had; absent without a session. */
  readonly toldServers?: ReadonlySet<string>
  readonly context: SearchContext
}

/** The result for the client, and the keys of the found tools. */
export interface SearchReply {
  readonly result: ToolResult
  readonly found: readonly ToolKey[]
  /** The servers whose instructions the result has. */
  readonly told?: readonly string[]
}

/**
 * Answers a call of the search tool in its dialect.
 * @throws GatewayError as `ToolSearch.search`
 */
export async function answerSearch(search: ToolSearch, call: SearchCall): Promise<SearchReply> {
  const { dialect, eligible, settings, context, listGrows } = call
  const reading = dialect.readSearch(call.input)
  if ('mistake' in reading) {
    search.refused(context)
    return { result: invalidArguments(dialect.searchTool(0), reading.mistake), found: [] }
  }
  const outcome = await searched(search, call, reading.value)
  if ('mistake' in outcome) return { result: invalidArguments(dialect.searchTool(0), outcome.mistake), found: [] }
  // Where tool_execute is listed, the key is enough.
  const callsByName = takesCallsByName(call.mode, settings) && (call.mode !== 'meta-tools' || settings.directCalls)
  const ask = reading.value
  const found = outcome.state === 'off' ? [] : outcome.found
  const given = instructionsWith(found, { eligible, detail: ask.detail, told: call.toldServers })
  const view = {
    ...{ eligible, callsByName, listGrows, instructions: given.texts },
    get names() {
      return call.names()
    },
  }
  return {
    result: dialect.renderSearch(outcome, ask, view),
    found: found.map(({ tool }) => tool.key),
    told: given.serverIds,
  }
}

/** Arguments that turn out to be wrong while searching, such as an outdated cursor, are answered like others. */
async function searched(
  search: ToolSearch,
  { eligible, settings, context }: SearchCall,
  ask: SearchAsk,
): Promise<SearchOutcome | { readonly mistake: string }> {
  try {
    return await search.search(eligible, settings, ask, context)
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'INVALID_ARGUMENTS') throw error
    return { mistake: String(error.details['reason']) }
  }
}
