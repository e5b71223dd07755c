import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** A server as it is remembered: neither its arguments nor its environment. */
export interface ProcessRecord {
  readonly pid: number
  readonly group: number
  readonly start: string
  readonly command: string
}

/** What one gateway had started. */
export interface GatewayRecords {
  readonly path: string
  /** Without a start time where the file does not tell. */
  readonly gateway: { readonly pid: number; readonly start?: string; readonly id?: string }
  readonly children: readonly ProcessRecord[]
}

const FILE = /^(\d+)\.jsonl$/

/** All gateways' files in a folder; lines that make no sense are passed over. */
export function readRecords(folder: string): GatewayRecords[] {
  return namesIn(folder)
    .filter((name) => FILE.test(name))
    .map((name) => readFile(join(folder, name)))
}

function readFile(path: string): GatewayRecords {
  const lines = textOf(path).split('\n').map(parsed)
  const named = { pid: Number(FILE.exec(basename(path))?.[1]) }
  const gateway = lines.map((line) => (isRecord(line) ? line['gateway'] : undefined)).find(isGateway)
  return { path, gateway: gateway ?? named, children: lines.filter(isProcessRecord) }
}

function isGateway(value: unknown): value is { pid: number; start: string; id: string } {
  if (!isRecord(value)) return false
  return isPid(value['pid']) && typeof value['start'] === 'string' && typeof value['id'] === 'string'
}

function isProcessRecord(value: unknown): value is ProcessRecord {
  return isRecord(value) && isPid(value['pid']) && isPid(value['group']) && typeof value['start'] === 'string'
}

const isPid = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 1

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
