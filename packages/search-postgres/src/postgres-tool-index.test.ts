import { afterAll, beforeAll, describe } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../test/kit/test-database.ts'
import { toolIndexContract } from '../../search/src/tool-index/tool-index-contract.case.ts'
import { openToolDatabase, type ToolDatabase } from './tool-database.ts'

// Hundreds of indexes are made here, each some round trips away.
describe('[T15] an index in PostgreSQL', { timeout: 120_000 }, () => {
  let server: TestDatabase
  let database: ToolDatabase
  let opened = 0

  beforeAll(async () => {
    server = await testDatabase()
    database = await openToolDatabase({ connection: server.url })
  }, 60_000)

  afterAll(async () => {
    await database.close()
    await server.drop()
  })

  toolIndexContract((options) => database.openIndex({ ...options, name: `index ${opened++}` }))
})
