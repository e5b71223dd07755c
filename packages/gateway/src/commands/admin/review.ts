import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ReviewItem } from '@tooldex/contract/admin'
import { Argument, type Command } from 'commander'
import { GatewayError } from '../../errors.ts'
import { writePrivateText } from '../../private-files.ts'
import { visible } from '../../trust/scanner/hidden.ts'
import { common, type CommonOptions, examples } from '../terminal/command-options.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { clean, counted, moment, type Paint, paintFor, table } from '../terminal/terminal.ts'
import { type Admin, answer, type Registry } from './admin.ts'

const ACTIONS = ['list', 'show', 'approve', 'block'] as const
type Action = (typeof ACTIONS)[number]

/** Options of `tooldex review`. */
interface ReviewOptions {
  readonly server?: string
  readonly all?: boolean
  readonly recorded?: boolean
  readonly blocked?: boolean
  readonly hash?: string
  readonly export?: string | true
  readonly import?: string
}

/** Adds `tooldex review`. */
export function addReviewCommand(program: Command, { manage }: Registry): void {
  common(program.command('review'))
    .description('Look at changed definitions of servers, and approve or block them')
    .addArgument(new Argument('[action]', 'what to do').choices(ACTIONS).default('list'))
    .argument('[items...]', 'server:tool, or a server for its instructions and command line')
    .option('--server <id>', 'only definitions of this server')
    .option('--all', 'approve or block everything that waits at --server')
    .option('--recorded', 'harmless changes that are in use, instead of those that wait')
    .option('--blocked', 'definitions that were refused')
    .option('--hash <hash>', 'only if the definition still has this hash, or begins with it')
    .option('--export [file]', 'write all approvals, for another gateway (default: standard output)')
    .option('--import <file>', 'take over approvals of another gateway')
    .addHelpText(
      'after',
      examples(
        'tooldex review',
        'tooldex review show github:create_issue',
        'tooldex review approve github:create_issue',
        'tooldex review approve --server github --all',
        'tooldex review --export approvals.json',
      ),
    )
    .action((action: Action, items: string[], options: CommonOptions & ReviewOptions) =>
      manage(options, (admin) => review(admin, action, items, options)),
    )
}

function review(admin: Admin, action: Action, names: readonly string[], options: ReviewOptions): Promise<number> {
  if (options.export !== undefined) return exportApprovals(admin, options.export, options)
  if (options.import !== undefined) return importApprovals(admin, options.import)
  if (action === 'list') return list(admin, options)
  return action === 'show' ? show(admin, names, options) : decide(admin, action, names, options)
}

async function list(admin: Admin, options: ReviewOptions): Promise<number> {
  const { items, waiting } = await itemsOf(admin, options)
  const rows = items.map((item) => [
    nameOf(item),
    item.kind,
    item.isNew ? 'new' : 'changed',
    item.isServed ? (item.state === 'recorded' ? 'in use' : 'the approved one is in use') : 'not in use',
    moment(item.since),
    item.reasons.map(({ rule }) => rule).join(', ') || '-',
  ])
  const none = [
    `  nothing ${options.recorded === true ? 'was recorded' : options.blocked === true ? 'is blocked' : 'waits for approval'}`,
  ]
  const lines = table(['definition', 'kind', 'how', 'state', 'since', 'reasons'], rows, admin.context.terminal)
  const next = '  look at one: tooldex review show <definition>'
  return answer(admin, { items, waiting }, items.length === 0 ? none : [...lines, next])
}

async function show(admin: Admin, names: readonly string[], options: ReviewOptions): Promise<number> {
  const items = await chosen(admin, names, options)
  const paint = paintFor(admin.context.terminal)
  return answer(
    admin,
    { items },
    items.flatMap((item) => shown(item, paint)),
  )
}

async function decide(
  admin: Admin,
  action: 'approve' | 'block',
  names: readonly string[],
  options: ReviewOptions,
): Promise<number> {
  const items = await chosen(admin, names, options)
  const body = { items: items.map(({ server, kind, name, hash }) => ({ server, kind, name, hash })) }
  const decided = await admin.client.ask(action === 'approve' ? 'approveReviewed' : 'blockReviewed', { body })
  const done = action === 'approve' ? 'approved' : 'blocked'
  return answer(admin, { ...decided, items: body.items }, [
    ...items.map((item) => `  ${done} ${nameOf(item)}`),
    `  ${decided.waiting === 0 ? 'nothing waits for approval' : `${counted(decided.waiting, 'definition')} still waiting`}`,
  ])
}

async function itemsOf({ client }: Admin, { server, recorded, blocked }: ReviewOptions) {
  const state = recorded === true ? 'recorded' : blocked === true ? 'blocked' : 'held'
  return client.ask('listReview', { query: { state, ...(server !== undefined && { server }) } })
}

/** The definitions that the user named. @throws GatewayError INVALID_ARGUMENTS if there is none */
async function chosen(admin: Admin, names: readonly string[], options: ReviewOptions): Promise<readonly ReviewItem[]> {
  const { items } = await itemsOf(admin, options)
  if (options.all === true && options.server === undefined) {
    throw new GatewayError('INVALID_ARGUMENTS', { reason: '--all needs --server', remedy: 'Name the server' })
  }
  if (options.all === true && names.length === 0) return items.length === 0 ? nothing(options.server ?? '') : items
  if (names.length === 0) {
    const remedy = 'See what waits: tooldex review'
    throw new GatewayError('INVALID_ARGUMENTS', { reason: 'name a definition, such as github:create_issue', remedy })
  }
  return names.flatMap((name) => {
    const fitting = items.filter((item) => nameOf(item) === name || (item.name === '' && item.server === name))
    const { hash } = options
    const same = hash === undefined ? fitting : fitting.filter((item) => item.hash.startsWith(hash))
    if (fitting.length > 0 && same.length === 0) throw changed(name)
    return same.length === 0 ? nothing(name) : same
  })
}

function nothing(name: string): never {
  throw new GatewayError('INVALID_ARGUMENTS', {
    reason: `nothing called ${name} waits for approval`,
    remedy: 'See what does: tooldex review',
  })
}

function changed(name: string): GatewayError {
  return new GatewayError('REVISION_CONFLICT', {
    reason: `${name} has changed since you looked; nothing was decided`,
    remedy: `Look at it again: tooldex review show ${name}`,
  })
}

const nameOf = ({ server, name }: ReviewItem): string => (name === '' ? server : `${server}:${name}`)

/** A definition with its reasons and a word diff; hidden characters are written as code points. */
function shown(item: ReviewItem, paint: Paint): readonly string[] {
  const { approved, reasons, diff } = item
  const before = approved === undefined ? 'never approved' : `${approved.how} ${moment(approved.at)}`
  const kept = item.isServed ? 'clients use the approved definition' : 'clients cannot use it'
  return [
    `  ${paint.bold(clean(nameOf(item)))}  ${item.kind}, ${item.state}${item.state === 'recorded' ? '' : `; ${kept}`}`,
    `  ${paint.dim('before')}  ${before}`,
    `  ${paint.dim('hash')}    ${item.hash}`,
    ...reasons.map(({ rule, severity, message, field = '', excerpt }) => {
      const words = excerpt === undefined ? '' : `: ${visibly(excerpt)}`
      return `  ${severity === 'block' ? paint.red(severity) : paint.yellow(severity)}    ${rule} ${paint.dim(clean(field))}  ${clean(message)}${words}`
    }),
    ...diff.flatMap(({ field, pieces }) => [
      `  ${paint.cyan(clean(field))}`,
      `    ${pieces.map(({ how, text }) => marked(how, visibly(text), paint)).join('')}`,
    ]),
    '',
  ]
}

/** Marks stay without colours. */
function marked(how: 'same' | 'added' | 'removed', text: string, paint: Paint): string {
  if (how === 'same') return text
  return how === 'added' ? paint.green(`{+${text}+}`) : paint.red(`[-${text}-]`)
}

/** Spaces at the ends of a piece separate it from the next one. */
function visibly(text: string): string {
  const shownText = clean(visible(text).replaceAll('\n', '\\n'))
  return `${text.startsWith(' ') ? ' ' : ''}${shownText}${/\S $/.test(text) ? ' ' : ''}`
}

async function exportApprovals(admin: Admin, file: string | true, { server }: ReviewOptions): Promise<number> {
  const exported = await admin.client.ask('exportApprovals', { query: { ...(server !== undefined && { server }) } })
  const text = `${JSON.stringify(exported, null, 2)}\n`
  if (file === true) {
    admin.context.terminal.out(text)
    return EXIT.ok
  }
  const path = resolve(admin.context.environment.cwd, file)
  await writePrivateText(path, text)
  return answer(admin, { file: path, pins: exported.pins.length }, [
    `  wrote ${counted(exported.pins.length, 'approved definition')} to ${path}`,
  ])
}

async function importApprovals(admin: Admin, file: string): Promise<number> {
  const path = resolve(admin.context.environment.cwd, file)
  const body = await readFile(path, 'utf8')
    .then(
      (text) => JSON.parse(text) as Record<string, unknown>,
      () => undefined,
    )
    .catch(() => undefined)
  if (typeof body !== 'object' || body === null) {
    const remedy = 'Write one on the other gateway: tooldex review --export approvals.json'
    throw new GatewayError('INVALID_ARGUMENTS', { reason: `${path} is not an export of approvals`, remedy })
  }
  const imported = await admin.client.ask('importApprovals', { body })
  return answer(admin, imported, [
    `  imported ${counted(imported.imported, 'approved definition')}`,
    ...imported.unknownServers.map((id) => `  there is no server ${id} yet; its approvals are kept`),
    ...(imported.waiting === 0 ? [] : [`  ${counted(imported.waiting, 'definition')} waiting: tooldex review`]),
  ])
}
