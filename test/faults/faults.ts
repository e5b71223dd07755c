import { AUDIT_FAULTS } from './audit-faults.ts'
import { CALL_FAULTS } from './call-faults.ts'
import { CONNECTION_FAULTS } from './connection-faults.ts'
import type { Fault } from './fault.ts'
import { PROCESS_FAULTS } from './process-faults.ts'
import { SEARCH_API_FAULTS } from './search-api-faults.ts'
import { SETTING_FAULTS } from './setting-faults.ts'
import { START_FAULTS } from './start-faults.ts'
import { STALL_FAULTS } from './stall-faults.ts'
import { STORE_FAULTS } from './store-faults.ts'
import { TOKEN_FAULTS } from './token-faults.ts'

/** Every fault, in the order in which they are tried. */
export const FAULTS: readonly Fault[] = [
  ...CALL_FAULTS,
  ...CONNECTION_FAULTS,
  ...START_FAULTS,
  ...PROCESS_FAULTS,
  ...SETTING_FAULTS,
  ...TOKEN_FAULTS,
  ...STALL_FAULTS,
  ...STORE_FAULTS,
  ...AUDIT_FAULTS,
  ...SEARCH_API_FAULTS,
]
