export { openLanceEngine } from './lance-engine.ts'
export type { LanceOptions, LanceRole } from './options.ts'
