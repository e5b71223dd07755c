import { createHash } from 'node:crypto'
import type { AcceptedFinding } from '@tooldex/contract'
import type { Finding } from './finding.ts'

/** Identifies a finding for as long as its rule, its tool, its place and the text that was found stay the same. */
export function fingerprintOf(
  tool: string,
  { rule, field, excerpt }: Pick<Finding, 'rule' | 'field' | 'excerpt'>,
): string {
  return createHash('sha256')
    .update(JSON.stringify([rule, tool, field, excerpt]))
    .digest('hex')
    .slice(0, 16)
}

/** The findings in a tool that were not accepted. This is the only place that decides it. */
export function withoutAccepted<Each extends Finding>(
  tool: string,
  findings: readonly Each[],
  accepted: readonly AcceptedFinding[] = [],
): Each[] {
  if (accepted.length === 0) return [...findings]
  return findings.filter((finding) => {
    const fingerprint = fingerprintOf(tool, finding)
    return !accepted.some((each) =>
      'fingerprint' in each
        ? each.fingerprint === fingerprint
        : each.rule === finding.rule && (each.tool === tool || each.tool === '*'),
    )
  })
}
