import type { AdminServer } from '@tooldex/contract/admin'
import { dataPaths } from '../../config/data-paths.ts'
import { findConfigFile, loadConfig, type LoadedConfig } from '../../config/load-config.ts'
import { GatewayError } from '../../errors.ts'
import { withAdmin } from '../admin/open-admin.ts'
import type { CommandContext } from '../gateway/context.ts'
import type { CommonOptions } from '../terminal/command-options.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { overridesOf } from '../gateway/load-config-file.ts'
import { nodeProblem } from '../node-version.ts'
import { findRunningGateway, type RunningGateway } from '../gateway/running-gateway.ts'
import { clean, columns, pad, paintFor, type Terminal } from '../terminal/terminal.ts'
import { checkFolder, checkPort } from './machine.ts'
import { checkDatabase } from './database.ts'
import { type Finding, fine, remark, wrong } from './finding.ts'

/** `tooldex doctor`: checks the installation and shows how to fix each problem. */
export async function doctor(options: CommonOptions, context: CommandContext): Promise<number> {
  const findings = [checkNode()]
  const { loaded, about } = await checkFile(options, context)
  findings.push(...about)
  if (loaded !== undefined) {
    const running = await findRunningGateway(dataPaths(loaded.config.dataDir).runRecord, context.fetch, context.version)
    findings.push(...(await checkFolder(loaded.config.dataDir)))
    findings.push(await checkPort(loaded.config.listen, running))
    findings.push(...(await checkDatabase({ loaded, running }, context)))
    findings.push(...(await checkServers(options, running, context)))
  }
  return print(findings, options, context.terminal)
}

function checkNode(): Finding {
  const problem = nodeProblem(process.versions.node)
  if (problem === undefined) return fine('node', `Node ${process.versions.node}`)
  return wrong('node', problem, 'Install a newer Node')
}

async function checkFile(
  options: CommonOptions,
  { environment }: CommandContext,
): Promise<{ readonly loaded?: LoadedConfig; readonly about: readonly Finding[] }> {
  try {
    const path = await findConfigFile(options.config, environment)
    const loaded = await loadConfig(path, environment, overridesOf(options))
    const about = fine('file', path ?? 'none: the whole configuration is in the database')
    return { loaded, about: [about] }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const problems = (error.details['problems'] ?? []) as readonly string[]
    const sentences = problems.length === 0 ? [error.message] : problems
    return { about: sentences.map((each) => wrong('file', each, 'Correct it; `tooldex check` shows the same problem')) }
  }
}

/** Only a running gateway knows the states of its servers. */
async function checkServers(
  options: CommonOptions,
  running: RunningGateway | undefined,
  context: CommandContext,
): Promise<readonly Finding[]> {
  if (running === undefined) return []
  return checkRunningServers(options, context)
}

function print(findings: readonly Finding[], { json }: CommonOptions, terminal: Terminal): number {
  const bad = findings.filter(({ state }) => state === 'wrong')
  if (json === true) terminal.out(`${JSON.stringify({ ok: bad.length === 0, findings })}\n`)
  else terminal.out(`${render(findings, terminal)}\n`)
  return bad.length === 0 ? EXIT.ok : EXIT.failed
}

function render(findings: readonly Finding[], terminal: Terminal): string {
  const paint = paintFor(terminal)
  const marks = { fine: paint.green('fine  '), remark: paint.yellow('remark'), wrong: paint.red('wrong ') }
  const widest = Math.max(...findings.map(({ about }) => columns(about)))
  const lines = findings.flatMap(({ about, state, message, remedy }) => [
    `  ${marks[state]}  ${pad(about, widest)}  ${clean(message)}`,
    ...(remedy === undefined ? [] : [`  ${' '.repeat(8 + widest + 2)}${paint.dim(clean(remedy))}`]),
  ])
  const bad = findings.filter(({ state }) => state === 'wrong').length
  const closing = bad === 0 ? 'no problems found' : `${bad} ${bad === 1 ? 'problem' : 'problems'} found`
  return [...lines, `  ${closing}`].join('\n')
}

/** The processes of a program that run for one client each. */
function aboutInstances({ id, config, status }: AdminServer): readonly Finding[] {
  const { running } = status?.instances ?? { running: 0 }
  const most = config.limits.maxInstances
  if (running === 0) return []
  const message = `${running} of at most ${most} processes run for one client each`
  if (running < most) return [fine(`server ${id}`, message)]
  return [remark(`server ${id}`, message, `tooldex server set ${id} --limit maxInstances=${most * 2}`)]
}

/** Checks the servers of a running gateway. */
async function checkRunningServers(options: CommonOptions, context: CommandContext): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  await withAdmin(options, context, async ({ client }) => {
    const { items } = await client.ask('listServers')
    const failing = items.filter(
      ({ status, toolsUnknown, problem }) =>
        toolsUnknown !== undefined ||
        (problem !== undefined && status?.state === 'running') ||
        ['failed', 'needs-login', 'held'].includes(status?.state ?? ''),
    )
    // A server that is stopped for its unreadable secrets is reported with the key.
    const healthy = items.filter((item) => item.problem === undefined && !failing.includes(item)).length
    if (healthy > 0) findings.push(fine('servers', `${healthy} without problems`))
    findings.push(...items.flatMap(aboutInstances))
    for (const { id, status, toolsUnknown, problem } of failing) {
      const unknown = toolsUnknown === undefined ? undefined : `it is running, tools unknown: ${toolsUnknown}`
      const message = unknown ?? problem ?? status?.lastError?.message ?? `it is ${status?.state}`
      const remedy = status?.loginUrl === undefined ? `tooldex server logs ${id}` : `Log in at ${status.loginUrl}`
      findings.push(wrong(`server ${id}`, message, remedy))
    }
    const { waiting } = await client.ask('listReview', { query: {} })
    if (waiting > 0) {
      const message = `${waiting} ${waiting === 1 ? 'definition waits' : 'definitions wait'} for approval`
      findings.push({ about: 'review', state: 'remark', message, remedy: 'tooldex review' })
    }
    return EXIT.ok
  })
  return findings
}
