import type { ImportedServer } from '../../setup/import-plan.ts'
import { fileDiff } from '../../setup/machine/file-diff.ts'
import type { SetupJournal } from '../../setup/machine/journal.ts'
import { type ClientPlan, type PlanOptions, titleOf } from '../../setup/machine/plan-client.ts'
import { type Admin, answer } from '../admin/admin.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { clean, counted, paintFor, table } from '../terminal/terminal.ts'

/** Everything that would be done. */
export interface SetupPlan {
  readonly url: string
  readonly isRunning: boolean
  /** The number of servers that the gateway has already. */
  readonly known: number
  readonly servers: readonly (ImportedServer & { readonly isNew: boolean })[]
  readonly clients: readonly ClientPlan[]
  readonly planOptions: PlanOptions
  /** Files that cannot be read. */
  readonly problems: readonly { readonly path: string; readonly reason: string }[]
  readonly notes: readonly string[]
}

/** What was done. */
export interface SetupOutcome {
  readonly added: readonly string[]
  readonly written: readonly ClientPlan[]
  readonly failed: readonly { readonly client: ClientPlan; readonly reason: string }[]
  /** Ctrl-C came before the end. */
  readonly isStopped?: boolean
}

/** Shows servers, clients and changes; with `--dry-run` the changed lines of each file as well. */
export function showPlan(admin: Admin, plan: SetupPlan, { isDryRun }: { readonly isDryRun: boolean }): void {
  const { terminal } = admin.context
  const diffs = isDryRun ? plan.clients.flatMap((client) => shownDiff(client, admin)) : []
  const lines = [
    ...serverLines(plan, admin),
    '',
    ...clientLines(plan, admin),
    ...diffs,
    ...(plan.problems.length === 0 ? [] : ['', '  files that cannot be read']),
    ...plan.problems.map(({ reason }) => `    ${reason}`),
    ...(plan.notes.length === 0 ? [] : ['', '  not taken over']),
    ...plan.notes.map((note) => `    ${note}`),
    ...(isDryRun ? ['', '  nothing was changed: this was a dry run'] : []),
  ]
  if (isDryRun && admin.options.json === true) {
    answer(admin, { ...asJson(plan), isDryRun: true, diff: diffs.map((line) => line.trim()) }, [])
  } else {
    terminal.out(`${lines.join('\n')}\n`)
  }
}

function serverLines({ servers, known }: SetupPlan, admin: Admin): string[] {
  if (servers.length === 0) {
    return [known > 0 ? '  no new servers in the files of your clients' : '  no servers in the files of your clients']
  }
  const rows = servers.map(({ id, config, origins, isNew, missing }) => [
    id,
    isNew ? (missing.length > 0 ? `import, off: needs ${missing.join(', ')}` : 'import') : 'exists already',
    [...new Set(origins.map(({ client }) => titleOf(client)))].join(', '),
    targetOf(config),
  ])
  const notes = servers
    .filter(({ isNew }) => isNew)
    .flatMap(({ id, notes: sentences }) => sentences.map((sentence) => [sentence, id] as const))
  const bySentence = Map.groupBy(notes, ([sentence]) => sentence)
  return [
    ...table(['server', '', 'found in', 'runs'], rows, admin.context.terminal),
    ...(notes.length === 0 ? [] : ['', '  good to know']),
    ...[...bySentence].map(([sentence, of]) => `    ${of.map(([, id]) => id).join(', ')}: ${sentence}`),
  ]
}

function targetOf({ command, args, url }: Readonly<Record<string, unknown>>): string {
  if (typeof url === 'string') return url
  const words = [command, ...(Array.isArray(args) ? (args as readonly unknown[]) : [])]
  return words.map(String).join(' ')
}

function clientLines({ clients }: SetupPlan, admin: Admin): string[] {
  if (clients.length === 0) {
    return [
      '  no client was found in this home folder',
      '  Connect one by hand: tooldex connect. Or name it: tooldex setup --client cursor',
    ]
  }
  const rows = clients.map(({ title, file, action, reason, switchedOff }) => [
    title,
    { write: 'add tooldex', update: 'update tooldex', connected: 'connected already', refused: 'left alone' }[action],
    file.path,
    reason ?? (switchedOff.length === 0 ? '' : `switches off ${switchedOff.join(', ')}`),
  ])
  return table(['client', '', 'file', ''], rows, admin.context.terminal)
}

function shownDiff({ changes }: ClientPlan, admin: Admin): string[] {
  const paint = paintFor(admin.context.terminal)
  return changes.flatMap(({ path, before, after }) => [
    '',
    paint.bold(`  ${path}`),
    ...fileDiff(before?.toString('utf8') ?? '', after.toString('utf8')).map(({ sign, line }) => {
      const shown = `    ${sign} ${indented(line)}`
      return sign === '+' ? paint.green(shown) : paint.red(shown)
    }),
  ])
}

function indented(line: string): string {
  const [indent = ''] = /^[ \t]*/.exec(line) ?? []
  return indent.replaceAll('\t', '  ') + clean(line)
}

/** Shows what was done and what to do next. */
export function showOutcome(admin: Admin, plan: SetupPlan, outcome: SetupOutcome): number {
  const { added, written, failed, isStopped = false } = outcome
  const off = plan.servers.filter(({ id, missing }) => added.includes(id) && missing.length > 0)
  const moved = written.filter(({ switchedOff }) => switchedOff.length > 0)
  const lines = [
    '',
    `  imported   ${added.length === 0 ? 'no new servers' : counted(added.length, 'server')}`,
    ...written.map(({ title, file }) => `  connected  ${title}: ${file.path} (edited in place; restart it)`),
    ...failed.map(({ client, reason }) => `  left alone ${client.title}: ${reason}`),
    ...off.map(
      ({ id, missing }) => `  off        ${id} needs a value: tooldex server set ${id} --input ${missing[0] ?? ''}=…`,
    ),
    ...(moved.length > 0 ? ['  switched off in the clients what the gateway has now; --undo puts it back'] : []),
    ...(written.length > 0
      ? ['  tokens     are in these files; they last until you revoke them: tooldex token list']
      : []),
    ...(isStopped ? ['  stopped    by you; the clients after that were not changed'] : []),
    ...(plan.isRunning ? [] : ['  next       tooldex serve      (the clients connect to it)']),
    ...(written.length > 0 ? ['  undo       tooldex setup --undo'] : []),
  ]
  answer(
    admin,
    {
      ...asJson(plan),
      added: [...added],
      connected: written.map(({ client, file }) => ({ client, file: file.path, by: 'file' })),
      failed: failed.map(({ client, reason }) => ({ client: client.client, file: client.file.path, reason })),
      isStopped,
    },
    lines,
  )
  return failed.length > 0 || isStopped ? EXIT.failed : EXIT.ok
}

function asJson({ url, servers, clients, problems, notes }: SetupPlan) {
  return {
    url,
    servers: servers.map(({ id, isNew, transport, origins, missing, notes: sentences }) => ({
      id,
      isNew,
      transport,
      foundIn: origins.map(({ client, path, name }) => ({ client, file: path, name })),
      missing,
      notes: sentences,
    })),
    clients: clients.map(({ client, action, file, reason, switchedOff }) => ({
      client,
      action,
      file: file.path,
      switchedOff,
      ...(reason !== undefined && { reason }),
    })),
    problems,
    notes,
  }
}

/** `tooldex` on a machine that is set up: the state, and what to do next. */
export function showState(admin: Admin, plan: SetupPlan, journal: SetupJournal): number {
  const connected = [...new Set(journal.entries().map(({ change }) => titleOf(change.client)))]
  const fresh = plan.servers.filter(({ isNew }) => isNew).map(({ id }) => id)
  const open = plan.clients.filter(({ action }) => action === 'write').map(({ title }) => title)
  const lines = [
    `  gateway    ${plan.isRunning ? `runs at ${plan.url}` : 'does not run; start it: tooldex serve'}`,
    `  servers    ${counted(plan.known, 'server')}; see them: tooldex server list`,
    `  clients    ${connected.length === 0 ? 'none connected by tooldex setup' : connected.join(', ')}`,
    ...(fresh.length === 0 ? [] : [`  new        ${fresh.join(', ')} in the files of your clients: tooldex setup`]),
    ...(open.length === 0 ? [] : [`  open       ${open.join(', ')} not connected yet: tooldex setup`]),
    '  more       tooldex find <words>, tooldex console, tooldex doctor, tooldex help',
  ]
  return answer(admin, { url: plan.url, isRunning: plan.isRunning, servers: plan.known, connected, fresh, open }, lines)
}
