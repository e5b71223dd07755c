import { CALL_FAULTS } from './call-faults.ts'
import type { Fault } from './fault.ts'

/** Every fault, in the order in which they are tried. */
export const FAULTS: readonly Fault[] = [...CALL_FAULTS]
