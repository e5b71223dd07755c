import type { Definition } from './fingerprint.ts'
import type { HoldReason } from './judge-change.ts'
import type { Finding } from './scanner/finding.ts'
import { scanChange, scanDefinition } from './scanner/scan.ts'

/**
 * The findings of the scanner that are reasons to hold a definition. Tools that resemble those of another server are no reason:
 * many people connect the same program twice.
 */
export function scanReasons(definition: Definition, approved: Definition | undefined): readonly HoldReason[] {
  const findings = approved === undefined ? scanDefinition(definition) : scanChange(approved, definition)
  return findings.flatMap(asReason)
}

function asReason({ rule, severity, field, offset, length, excerpt, explanation }: Finding): readonly HoldReason[] {
  return severity === 'remark' ? [] : [{ rule, severity, message: explanation, field, offset, length, excerpt }]
}
