import { isRecord } from '@tooldex/http-kit/json'
import { type Evidence } from '../../src/trust/scanner/evidence.ts'
import { imitationsOf, type Peer } from '../../src/trust/scanner/imitation.ts'
import { argumentEvidence, evidenceOf, freshEvidence } from '../../src/trust/scanner/scan.ts'

/** What a record shows: a definition, a changed one, a result, arguments, instructions of a server, a message. */
const SURFACES = ['tool', 'tool_update', 'tool_result', 'tool_args', 'initialize', 'message'] as const

/** A labelled text of an attack or of something honest. */
export interface ScanRecord {
  readonly id: string
  readonly label: 'attack' | 'benign'
  readonly family: string
  readonly source: string
  /** Near-duplicates have the same group. */
  readonly group: string
  readonly surface: (typeof SURFACES)[number]
  readonly server?: string
  readonly tool?: unknown
  readonly before?: unknown
  readonly text?: string
  readonly peers?: readonly Peer[]
  readonly needsPeers: boolean
  readonly isConcealed: boolean
}

/** A line that is no record. */
export interface BadLine {
  readonly file: string
  readonly line: number
  readonly problem: string
}

/** The records of a file of JSON lines, and the lines that are none. */
export function readRecords(
  file: string,
  text: string,
  options: { readonly assumeBenign?: boolean } = {},
): { records: ScanRecord[]; bad: BadLine[] } {
  const records: ScanRecord[] = []
  const bad: BadLine[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const record = readRecord(line, `${file}:${index + 1}`, options.assumeBenign === true)
    if (typeof record === 'string') bad.push({ file, line: index + 1, problem: record })
    else records.push(record)
  }
  return { records, bad }
}

function readRecord(line: string, place: string, assumeBenign: boolean): ScanRecord | string {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return 'is not JSON'
  }
  if (!isRecord(value)) return 'is not an object'
  // A plain tool, as in a list of tools, is a record without a label.
  if (assumeBenign && value['label'] === undefined && typeof value['name'] === 'string') {
    const { name, title, description, inputSchema, outputSchema, annotations } = value
    value = {
      label: 'benign',
      family: 'assumed',
      surface: 'tool',
      id: value['id'],
      server: value['server'],
      tool: { name, title, description, inputSchema, outputSchema, annotations },
    }
  }
  if (!isRecord(value)) return 'is not an object'
  const { label, surface } = value
  if (label !== 'attack' && label !== 'benign') return 'has no label "attack" or "benign"'
  const known = SURFACES.find((each) => each === surface)
  if (known === undefined) return `has no surface of ${SURFACES.join(', ')}`
  const isTool = known === 'tool' || known === 'tool_update'
  if (isTool && !isRecord(value['tool'])) return 'has no tool'
  if (known === 'tool_update' && !isRecord(value['before'])) return 'has no earlier definition (before)'
  if (!isTool && typeof value['text'] !== 'string') return 'has no text'
  const textOf = (key: string, otherwise: string): string => (typeof value[key] === 'string' ? value[key] : otherwise)
  return {
    id: textOf('id', place),
    label,
    family: textOf('family', 'unnamed'),
    source: textOf('source', 'unnamed'),
    group: textOf('group', textOf('id', place)),
    surface: known,
    ...(typeof value['server'] === 'string' && { server: value['server'] }),
    ...(isTool && { tool: value['tool'] }),
    ...(known === 'tool_update' && { before: value['before'] }),
    ...(typeof value['text'] === 'string' && { text: value['text'] }),
    ...(Array.isArray(value['peers']) && { peers: value['peers'].filter(isPeer) }),
    needsPeers: value['needs_peers'] === true,
    isConcealed: value['concealed'] === true,
  }
}

function isPeer(value: unknown): value is Peer {
  return isRecord(value) && typeof value['server'] === 'string' && isRecord(value['tool'])
}

/** Everything that speaks against a record. */
export function evidenceIn(record: ScanRecord): Evidence[] {
  const { surface, tool, before, text = '', peers, server } = record
  switch (surface) {
    case 'tool':
      return [...evidenceOf(tool, 'definition'), ...imitationEvidence(tool, peers, server)]
    case 'tool_update':
      return freshEvidence(before, tool)
    case 'initialize':
      return evidenceOf(text, 'definition')
    case 'tool_args':
      return argumentEvidence(parsed(text))
    case 'tool_result':
      return evidenceOf(parsed(text), 'result')
    case 'message':
      return messageEvidence(parsed(text))
  }
}

/** A message may carry definitions, instructions, arguments or results. */
function messageEvidence(message: unknown): Evidence[] {
  const result = isRecord(message) ? message['result'] : undefined
  const params = isRecord(message) ? message['params'] : undefined
  if (isRecord(result) && Array.isArray(result['tools']))
    return result['tools'].flatMap((tool) => evidenceOf(tool, 'definition'))
  if (isRecord(result) && typeof result['instructions'] === 'string')
    return evidenceOf(result['instructions'], 'definition')
  if (isRecord(message) && message['method'] === 'tools/call') return argumentEvidence(params)
  return evidenceOf(message, 'result')
}

function imitationEvidence(tool: unknown, peers: readonly Peer[] | undefined, server: string | undefined): Evidence[] {
  if (!isRecord(tool) || peers === undefined) return []
  return imitationsOf(tool, peers, server).map(({ rule, severity, field, offset, length, excerpt }) => ({
    rule,
    signal: rule,
    weight: 0,
    at: { field, text: excerpt, kind: 'name' },
    offset,
    length,
    least: severity,
  }))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
