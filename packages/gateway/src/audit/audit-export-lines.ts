import type { AuditFilter, ChainEnds } from '../model/audit.ts'

/** The layout of exports; a reader refuses later ones. */
export const EXPORT_VERSION = 1

/** The first line of an export. */
export interface ExportStart {
  readonly kind: 'export'
  readonly version: number
  readonly at: number
  /** Empty if the export has all entries. */
  readonly filter: AuditFilter
  readonly chain: ChainEnds
}

/** The last line of an export: without it the file was cut. */
export interface ExportEnd {
  readonly kind: 'end'
  /** How many entries the export has. */
  readonly entries: number
  /** The start of the chain when the export ended. */
  readonly chain: Pick<ChainEnds, 'start'>
}
