import { describe } from 'vitest'
import { engineContract } from './engine-contract.case.ts'
import { MemoryEngine } from './memory-engine.ts'

describe('the engine in memory', () => {
  engineContract({ open: async () => new MemoryEngine(), runs: 60 })
})
