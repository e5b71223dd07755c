import { type AdminAuditEntry, JUDGED_BY } from '@tooldex/contract/admin'
import { parseJson } from '@tooldex/http-kit/json'
import { SearchFollowUps } from '../../audit/search-follow-ups.ts'
import { GatewayError } from '../../errors.ts'
import type { AuditEntry } from '../../model/audit.ts'
import { withAdmin } from '../admin/open-admin.ts'
import type { CommandContext } from '../gateway/context.ts'
import type { CommonOptions } from '../terminal/command-options.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import type { JudgedQuery } from './queries.ts'

const KINDS: ReadonlySet<string> = new Set(['search', 'call'] satisfies AdminAuditEntry['kind'][])

/** The project whose searches are read, and its tools now. */
interface AuditSource {
  readonly projectId: string
  readonly eligible: ReadonlySet<string>
}

/**
 * Searches of a project as queries with known tools: those that the same caller then called with success, and
 * those that an administrator named. Tools that are not available any more are left out.
 * @throws GatewayError INVALID_ARGUMENTS if there is none
 */
export async function queriesFromAudit(
  options: CommonOptions,
  context: CommandContext,
  { projectId, eligible }: AuditSource,
): Promise<readonly JudgedQuery[]> {
  const found = new Map<string, { readonly queries: readonly string[]; readonly relevant: Set<string> }>()
  const add = (queries: readonly string[], toolKey: string): void => {
    if (queries.every((query) => query.trim() === '') || !eligible.has(toolKey)) return
    const key = JSON.stringify(queries)
    const known = found.get(key) ?? { queries, relevant: new Set() }
    known.relevant.add(toolKey)
    found.set(key, known)
  }
  const followUps = new SearchFollowUps({
    onFollowed: ({ search: { queries = [] }, call: { toolKey } }) => add(queries, toolKey),
  })
  await withAdmin(options, context, async ({ client }) => {
    const judged = await client.ask('listLearned', {
      params: { project: projectId },
      query: { token: JUDGED_BY, limit: 5_000 },
    })
    for (const { query, toolKey } of judged.items) add([query], toolKey)
    const { body } = await client.open('exportAudit', { query: { project: projectId, format: 'jsonl' } })
    if (body !== null) for await (const entry of entriesIn(body)) followUps.note(entry)
    return EXIT.ok
  })
  if (found.size > 0) return [...found.values()]
  throw new GatewayError('INVALID_ARGUMENTS', {
    reason: `the audit log has no search in project "${projectId}" that a successful call followed and whose text was kept`,
    remedy: 'Use the gateway first, with audit.queries set to true, or pass a file with --queries',
  })
}

async function* entriesIn(body: ReadableStream): AsyncGenerator<AuditEntry> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const entry = parseJson(line) as AuditEntry | undefined
      if (entry !== undefined && KINDS.has(entry.kind)) yield entry
    }
  }
}
