import { FINDING_RULES } from '@tooldex/contract'
import { RULES, type Severity } from '../../trust/scanner/finding.ts'
import type { CommandReport } from './scan.ts'
import { placeOf } from './show-findings.ts'

const LEVELS: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  block: 'error',
  hold: 'warning',
  remark: 'note',
}

/** The report in SARIF 2.1.0, which code hosts and editors read. */
export function sarifOf({ findings, files }: CommandReport, version: string) {
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'tooldex scan',
            semanticVersion: version,
            informationUri: 'https://github.com/tooldex/tooldex',
            rules: FINDING_RULES.map((id) => ({ id, shortDescription: { text: RULES[id] } })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => ({
          ruleId: finding.rule,
          ruleIndex: FINDING_RULES.indexOf(finding.rule),
          level: LEVELS[finding.severity],
          message: { text: `${finding.explanation} Found: ${finding.excerpt}` },
          locations: [
            {
              ...(files.includes(finding.server) && {
                physicalLocation: { artifactLocation: { uri: uriOf(finding.server) } },
              }),
              logicalLocations: [{ fullyQualifiedName: `${placeOf(finding)}${finding.field}`, kind: 'member' }],
            },
          ],
          partialFingerprints: { 'tooldex/v1': finding.fingerprint },
          properties: { field: finding.field, offset: finding.offset, length: finding.length },
        })),
      },
    ],
  }
}

/** A relative reference, as SARIF wants it. */
function uriOf(path: string): string {
  return path.split(/[\\/]/).map(encodeURIComponent).join('/')
}
