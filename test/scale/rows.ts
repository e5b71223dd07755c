import { largeGateways } from './control-plane.ts'
import { busyServer, databaseOutages, rateLimit, soak } from './under-load.ts'
import { endingReplicas, roundRobinRows } from './replicas.ts'
import type { Scenario } from './row.ts'

/** All scenarios, in the order in which they are measured. */
export const SCENARIOS: readonly Scenario[] = [
  largeGateways,
  roundRobinRows,
  endingReplicas,
  rateLimit,
  busyServer,
  databaseOutages,
  soak,
]
