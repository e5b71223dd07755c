import { withAdmin } from '../admin/open-admin.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { type Finding, fine, wrong } from './finding.ts'

/** How the servers of a running gateway are. */
export async function lookAtRunningServers(
  options: CommonOptions,
  context: CommandContext,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  await withAdmin(options, context, async ({ client }) => {
    const { items } = await client.ask('listServers')
    const ill = items.filter(({ status }) => ['failed', 'needs-login', 'quarantined'].includes(status?.state ?? ''))
    const well = items.length - ill.length
    if (well > 0) findings.push(fine('servers', `${well} are as they should be`))
    for (const { id, status } of ill) {
      const message = status?.lastError?.message ?? `it is ${status?.state}`
      const remedy = status?.loginUrl === undefined ? `tooldex server logs ${id}` : `Log in at ${status.loginUrl}`
      findings.push(wrong(`server ${id}`, message, remedy))
    }
    return EXIT.ok
  })
  return findings
}
