import { describe, expect, it } from 'vitest'
import { ENDS, refusals, TRANSPORTS } from '../kit/revocation.ts'
import { testDatabase } from '../kit/test-database.ts'

describe.concurrent.each(['SQLite', 'PostgreSQL'])('A token that ends, on %s', (kind) => {
  it('[R41] [R44] is refused on every transport, and the call that is being answered is cut', async () => {
    const database = kind === 'PostgreSQL' ? await testDatabase() : undefined
    try {
      const rows = await refusals(database?.url, TRANSPORTS.length)
      expect(rows.map(({ transport, end }) => [transport, end])).toEqual(
        TRANSPORTS.flatMap((transport) => ENDS.map((end) => [transport, end])),
      )
      for (const { transport, end, callError, nextError } of rows) {
        const what = `${transport} ${end}`
        expect(callError, what).toMatch(/token|TOKEN_INVALID|401|closed|terminated/i)
        expect(callError, what).not.toContain('timed out')
        expect(nextError, what).toMatch(/token|TOKEN_INVALID|401|authorized|closed/i)
      }
    } finally {
      await database?.drop()
    }
  }, 180_000)
})
