import { describe, expect, it } from 'vitest'
import { outcomeOf } from './fault.ts'
import { FAULTS } from './faults.ts'

const TIME_LIMIT_MS = 60_000

describe('faults', () => {
  it.each(FAULTS.filter(({ isQuick }) => isQuick))(
    'keeps its promise: $name',
    { timeout: TIME_LIMIT_MS },
    async (fault) => {
      expect(await outcomeOf(fault, 'quick')).toMatchObject({ ok: true })
    },
  )

  it('reports a broken promise in one line', async () => {
    const broken = { name: 'x', isQuick: false, run: () => Promise.reject(new Error('it broke')) }
    expect(await outcomeOf(broken, 'quick')).toMatchObject({ ok: false, detail: 'it broke' })
  })
})
