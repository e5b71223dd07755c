import { isRecord } from '@tooldex/http-kit/json'
import { decodedTexts } from './encoded.ts'
import { CHANGE_THRESHOLDS, type Evidence, judge } from './evidence.ts'
import type { Finding, RuleName } from './finding.ts'
import { visible } from './hidden.ts'
import { imitationsOf, type Peer } from './imitation.ts'
import { marksOf } from './marks.ts'
import { parameterHits } from './parameters.ts'
import { boastOf } from './signals/bait.ts'
import { type FieldText, SCAN_LIMITS, textsOf } from './texts.ts'
import { type Surface, signalsOf } from './weigh.ts'

/** What to compare a definition with. */
export interface ScanOptions {
  /** The server that offers it. */
  readonly server?: string
  /** Tools of other servers. */
  readonly peers?: readonly Peer[]
}

/** Findings in the definition of a tool, prompt or resource. */
export function scanDefinition(definition: unknown, options: ScanOptions = {}): Finding[] {
  return [...judge(evidenceOf(definition, 'definition')), ...imitations(definition, options)]
}

/** Findings in a plain text: instructions of a server, or a result. */
export function scanText(text: string, surface: Surface): Finding[] {
  return judge(evidenceOf(text, surface))
}

/** Findings in every text of a value that a tool answered, or a message of a server. */
export function scanResult(value: unknown): Finding[] {
  return judge(evidenceOf(value, 'result'))
}

/** Findings in the arguments of a call: files that hold secrets, keys, and orders. */
export function scanArguments(value: unknown): Finding[] {
  return judge(argumentEvidence(value))
}

/** What speaks against the arguments of a call. */
export function argumentEvidence(value: unknown): Evidence[] {
  const evidence = evidenceOf(value, 'result')
  for (const at of textsOf(value).texts) {
    const match = SENSITIVE_ARGUMENT.exec(at.text.toLowerCase()) ?? KEY.exec(at.text)
    if (match === null) continue
    const [{ length }, offset] = [match[0], match.index]
    evidence.push({
      rule: 'sensitive-argument',
      signal: 'sensitive-argument',
      weight: 2.5,
      at,
      offset,
      length,
      least: 'hold',
    })
  }
  return evidence
}

/** Files that hold secrets, where they are named in full. */
const SENSITIVE_ARGUMENT = new RegExp(
  String.raw`(?:^|[\\/\s"'=@])(?:\.ssh[\\/]|id_(?:rsa|ed25519|dsa|ecdsa)\b(?!\.pub)|\.env(?!\w|\.(?:example|sample|template|dist|test))|\.aws[\\/]|\.netrc\b|\.npmrc\b|\.pypirc\b|\.pgpass\b|\.git-credentials\b|\.kube[\\/]config|\.docker[\\/]config|\.gnupg\b|\.bash_history\b|\.zsh_history\b|credentials\.json\b|wallet\.dat\b|claude_desktop_config\.json|login data\b|cookies\.sqlite)|[\\/]etc[\\/](?:passwd|shadow|sudoers)\b|\.(?:pem|p12|pfx|keystore)$|\.cursor[\\/]mcp\.json|169\.254\.169\.254|metadata\.google\.internal|[\\/]proc[\\/]self[\\/]environ`,
)
const KEY =
  /\b(?:sk-(?:proj-|ant-)?[A-Za-z0-9_-]{20,}|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,}|AKIA(?!IOSFODNN7EXAMPLE)[A-Z0-9]{16}|xox[abprs]-[A-Za-z0-9-]{20,}|AIza[\w-]{35}|glpat-[\w-]{20,})\b|-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/

/**
 * Findings in a changed definition that the approved one did not have. Weaker evidence counts: the approved text had none,
 * and a change that begins to speak of other tools, files, secrets or orders deserves a look.
 */
export function scanChange(before: unknown, after: unknown, options: ScanOptions = {}): Finding[] {
  const all = evidenceOf(after, 'definition')
  const fresh = notIn(before, all)
  const places = new Set(fresh.map(({ rule, at }) => `${rule} ${at.field}`))
  const known = new Set(imitations(before, options).map(({ explanation }) => explanation))
  const findings = [
    ...judge(all).filter(({ rule, field }) => places.has(`${rule} ${field}`)),
    ...imitations(after, options).filter(({ explanation }) => !known.has(explanation)),
  ]
  return findings.length > 0 ? findings : judge(fresh, CHANGE_THRESHOLDS)
}

/** Evidence whose signal, place and words the approved definition did not have. */
export function freshEvidence(before: unknown, after: unknown): Evidence[] {
  return notIn(before, evidenceOf(after, 'definition'))
}

function notIn(before: unknown, evidence: readonly Evidence[]): Evidence[] {
  const keyOf = ({ signal, at, offset, length }: Evidence): string =>
    JSON.stringify([signal, at.field, at.text.slice(offset, offset + length)])
  const known = new Set(evidenceOf(before, 'definition').map(keyOf))
  return evidence.filter((each) => !known.has(keyOf(each)))
}

function imitations(definition: unknown, { peers, server }: ScanOptions): Finding[] {
  return isRecord(definition) && peers !== undefined ? imitationsOf(definition, peers, server) : []
}

/** Everything that speaks against a definition or a result, before it is weighed. */
export function evidenceOf(root: unknown, surface: Surface): Evidence[] {
  const { texts, cutAt } = textsOf(root)
  const evidence: Evidence[] = []
  for (const at of texts) {
    if (at.kind === 'prose') addProse(at, surface, evidence)
    else addName(at, surface, evidence)
  }
  if (surface === 'definition') {
    for (const hit of parameterHits(root)) evidence.push(hit)
  }
  if (cutAt !== undefined) {
    const at = {
      field: cutAt.field,
      text: texts.find(({ field }) => field === cutAt.field)?.text ?? '',
      kind: 'prose',
    } as const
    evidence.push({
      rule: 'unscanned-rest',
      signal: 'unscanned-rest',
      weight: 0,
      at,
      offset: cutAt.offset,
      length: 0,
      least: 'hold',
    })
  }
  return evidence
}

function addProse(at: FieldText, surface: Surface, evidence: Evidence[]): void {
  const { text } = at
  for (const mark of marksOf(text, surface === 'result')) {
    const { rule, weight, offset, length, severity, spelled } = mark
    evidence.push({ rule, signal: `mark:${rule}`, weight, at, offset, length, least: severity })
    if (spelled !== undefined) addInner(spelled, at, { offset, length, rule }, evidence)
  }
  for (const { signal, offset, length } of signalsOf(text, surface)) {
    evidence.push({ rule: signal.rule, signal: signal.name, weight: signal.weight, at, offset, length })
  }
  for (const { text: inner, encoding, offset, length } of decodedTexts(text)) {
    addInner(inner, at, { offset, length, rule: 'encoded-payload', encoding }, evidence)
  }
}

/** Text that was hidden or encoded: to hide an order is worse than to give it. */
function addInner(
  inner: string,
  at: FieldText,
  { offset, length, rule, encoding }: { offset: number; length: number; rule: RuleName; encoding?: string },
  evidence: Evidence[],
): void {
  const hits = signalsOf(inner.slice(0, SCAN_LIMITS.textCharacters), 'result')
  if (hits.length === 0) return
  const weight = hits.reduce((sum, { signal }) => sum + signal.weight, 0)
  const detail = `${encoding ?? 'hidden text'}: “${visible(inner.slice(0, 80))}”`
  if (weight >= 1)
    evidence.push({ rule, signal: `inner:${rule}`, weight: weight + 2, at, offset, length, least: 'hold', detail })
}

const LONG_NAME = 24

function addName(at: FieldText, surface: Surface, evidence: Evidence[]): void {
  const { text } = at
  for (const { rule, weight, offset, length, severity } of marksOf(text, surface === 'result')) {
    evidence.push({ rule, signal: `mark:${rule}`, weight, at, offset, length, least: severity })
  }
  // A name this long is a sentence.
  if (text.length >= LONG_NAME) {
    for (const { signal, offset, length } of signalsOf(text.replaceAll(/[_-]/g, ' '), surface)) {
      evidence.push({ rule: signal.rule, signal: signal.name, weight: signal.weight, at, offset, length })
    }
  }
  const boast = at.kind === 'name' ? boastOf(text) : 0
  if (boast > 0)
    evidence.push({ rule: 'search-bait', signal: 'boastful-name', weight: boast, at, offset: 0, length: text.length })
}
