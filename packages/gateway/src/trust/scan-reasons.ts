import type { AcceptedFinding } from '@tooldex/contract'
import { inSlices } from '../in-slices.ts'
import type { HoldReason, ScanDefinition } from './judge-change.ts'
import { withoutAccepted } from './scanner/accepted.ts'
import type { Finding } from './scanner/finding.ts'
import { scanChange, scanDefinition } from './scanner/scan.ts'
import { compileSignals } from './scanner/weigh.ts'

let compiled: Promise<void> | undefined

/** Resolves when scanning a definition takes no longer than usual. */
export function scannerReady(): Promise<void> {
  compiled ??= inSlices(compileSignals())
  return compiled
}

/**
 * The findings of the scanner that are reasons to hold a definition of a server, apart from those that a person accepted. Tools
 * that resemble those of another server are no reason: many people connect the same program twice.
 */
export function scanReasons(accepted: readonly AcceptedFinding[] = []): ScanDefinition {
  return (definition, approved) => {
    const findings = approved === undefined ? scanDefinition(definition) : scanChange(approved, definition)
    const { name } = definition
    return withoutAccepted(typeof name === 'string' ? name : '', findings, accepted).flatMap(asReason)
  }
}

function asReason({ rule, severity, field, offset, length, excerpt, explanation }: Finding): readonly HoldReason[] {
  return severity === 'remark' ? [] : [{ rule, severity, message: explanation, field, offset, length, excerpt }]
}
