import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { GatewayError } from '../errors.ts'
import { type Edit, editText, type Step, valueAt } from './edit-text.ts'
import { type FileFormat, parseFile } from './parse-file.ts'

const MODE_BITS = 0o777
const NEW_FILE_MODE = 0o600
const OWNER_WRITES = 0o200

/** A change of one file that was worked out and not written yet. */
export interface PlannedChange {
  readonly client: string
  /** The path as the user knows it. */
  readonly path: string
  /** The file that a symbolic link leads to. */
  readonly target: string
  readonly format: FileFormat
  /** The content at the time of the plan; undefined if there is no file. */
  readonly before: Buffer | undefined
  readonly after: Buffer
  readonly edits: readonly Edit[]
}

/** A change that was written, as the journal keeps it. */
export interface WrittenChange {
  readonly client: string
  readonly path: string
  readonly target: string
  readonly format: FileFormat
  /** The name of the backup; absent if there was no file. */
  readonly backup?: string
  readonly mode?: number
  /** The hash of the content that was written. */
  readonly after: string
  readonly paths: readonly (readonly Step[])[]
}

/** The outcome of an undo. */
export interface Undone {
  readonly path: string
  readonly client: string
  /** `restored`: byte for byte. `edited`: the file has changed since, so only our own changes were taken back. */
  readonly outcome: 'restored' | 'removed' | 'edited' | 'failed'
  readonly reason?: string
}

/** Works out the change of a file without writing it. @throws GatewayError CONFIG_INVALID */
export function planChange(
  { client, path, format }: { readonly client: string; readonly path: string; readonly format: FileFormat },
  edits: readonly Edit[],
): PlannedChange {
  const target = existsSync(path) ? realpathSync(path) : path
  const before = contentOf(target)
  if (before !== undefined) refuseReadOnly(target, path)
  const text = before?.toString('utf8') ?? ''
  if (before !== undefined && !Buffer.from(text, 'utf8').equals(before)) throw refused(path, 'is not UTF-8 text')
  const after = Buffer.from(editText(text, format, edits, path), 'utf8')
  return { client, path, target, format, before, after, edits }
}

/**
 * Writes a planned change: a backup, then the file through a temporary one in the same folder, so that a reader sees the old
 * or the new content and nothing else.
 * @param record called before the file is replaced, so that an interrupted run can be undone
 * @throws GatewayError CONFIG_INVALID if the file has changed since it was planned
 */
export function writeChange(
  plan: PlannedChange,
  { folder, now, record }: { folder: string; now: number; record: (change: WrittenChange) => void },
): WrittenChange {
  const { client, path, target, format, before, after, edits } = plan
  refuseChanged(plan)
  const mode = before === undefined ? undefined : statSync(target).mode & MODE_BITS
  const backup = before === undefined ? undefined : keepBackup(before, target, folder, now)
  const written: WrittenChange = {
    client,
    path,
    target,
    format,
    ...(backup !== undefined && { backup }),
    ...(mode !== undefined && { mode }),
    after: hashOf(after),
    paths: edits.map((edit) => edit.path),
  }
  record(written)
  replaceFile(target, after, mode ?? NEW_FILE_MODE, () => refuseChanged(plan))
  if (contentOf(target)?.equals(after) !== true) {
    throw refused(path, 'was changed by another program while it was written')
  }
  return written
}

/** Takes a change back: byte for byte if the file is still as it was written, else only the entries concerned. */
export function undoChange(change: WrittenChange, folder: string): Undone {
  const { path, target, client } = change
  try {
    const current = contentOf(target)
    const before = change.backup === undefined ? undefined : readFileSync(join(folder, change.backup))
    if (current !== undefined && hashOf(current) === change.after) {
      if (before === undefined) {
        rmSync(target)
        return { path, client, outcome: 'removed' }
      }
      replaceFile(target, before, change.mode ?? NEW_FILE_MODE)
      return { path, client, outcome: 'restored' }
    }
    if (current === undefined) return failed(change, 'the file does not exist any more')
    if (before !== undefined && current.equals(before)) return { path, client, outcome: 'restored' }
    return takeBack(change, current, before)
  } catch (error) {
    return failed(change, error instanceof Error ? error.message : 'unknown reason')
  }
}

/** Sets each changed path back to its value in the backup, and leaves everything that came later. */
function takeBack(change: WrittenChange, current: Buffer, before: Buffer | undefined): Undone {
  const { path, target, client, format } = change
  const old = before === undefined ? {} : parseFile(before.toString('utf8'), format, path)
  const edits = change.paths.toReversed().map((each) => ({ path: each, value: valueAt(old, each) }))
  const text = editText(current.toString('utf8'), format, edits, path)
  replaceFile(target, Buffer.from(text, 'utf8'), statSync(target).mode & MODE_BITS)
  return {
    path,
    client,
    outcome: 'edited',
    reason: 'it has changed since, so only the entries concerned were set back',
  }
}

function failed({ path, client, backup }: WrittenChange, reason: string): Undone {
  const kept = backup === undefined ? '' : `; its earlier content is in the backup ${backup}`
  return { path, client, outcome: 'failed', reason: `${reason}${kept}` }
}

function keepBackup(content: Buffer, target: string, folder: string, now: number): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const date = new Date(now).toISOString().replace(/[-:]/g, '').slice(0, 15)
  for (let number = 0; ; number++) {
    const name = `${date}${number === 0 ? '' : `-${number}`}-${basename(target)}`
    try {
      const file = openSync(join(folder, name), 'wx', 0o600)
      writeAll(file, content)
      return name
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

function replaceFile(target: string, content: Buffer, mode: number, check?: () => void): void {
  const folder = dirname(target)
  mkdirSync(folder, { recursive: true })
  const temporary = join(folder, `.${basename(target)}.${process.pid}.tooldex`)
  let isMade = false
  try {
    const file = openSync(temporary, 'wx', mode)
    isMade = true
    writeAll(file, content)
    // The mode of a new file is reduced by the umask.
    chmodSync(temporary, mode)
    check?.()
    renameSync(temporary, target)
  } catch (error) {
    if (isMade) rmSync(temporary, { force: true })
    throw error instanceof GatewayError ? error : refused(target, `cannot be written (${codeOf(error)})`)
  }
}

function writeAll(file: number, content: Buffer): void {
  try {
    for (let written = 0; written < content.length; ) written += writeSync(file, content, written)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function refuseChanged(plan: PlannedChange): void {
  if (!isUnchanged(plan)) throw refused(plan.path, 'has changed since the preview')
}

/** Whether a file still has the content that it was planned with. */
export function isUnchanged({ target, before }: PlannedChange): boolean {
  const current = contentOf(target)
  return before === undefined ? current === undefined : current?.equals(before) === true
}

/** A rename would replace a read-only file; its owner made it read-only to prevent changes, so it is refused. */
function refuseReadOnly(target: string, path: string): void {
  if ((statSync(target).mode & OWNER_WRITES) === 0) throw refused(path, 'is read-only')
}

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw refused(path, `cannot be read (${codeOf(error)})`)
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown reason'
}

function refused(path: string, what: string): GatewayError {
  return new GatewayError('CONFIG_INVALID', {
    file: path,
    reason: `${path} ${what}`,
    remedy: 'Try again when that is settled; this file was not changed',
  })
}

/** The hash of a content. */
function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
