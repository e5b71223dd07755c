import { describe, expect, it } from 'vitest'
import { coldStart, ColdHome, firstList, OWN_TOOLS, TRANSPORTS } from './cold-start.ts'

describe.concurrent('a cold start of the program', () => {
  it.each(TRANSPORTS)(
    '[U4] gives the first client over %s a list beside a server that needs long',
    async (transport) => {
      const start = { transport, exposure: 'auto', client: 'v1', servers: 2, slow: 1, slowMs: 600_000 } as const
      expect((await coldStart(start)).tools).toEqual(OWN_TOOLS)
    },
  )

  it('[U4] gives the second and third short-lived client the list that the first has seen', async () => {
    using home = new ColdHome({ exposure: 'full', servers: 3, slow: 0, slowMs: 0 }, 25_000)
    for (const kind of ['v1', 'legacy', 'modern'] as const) {
      expect((await firstList(await home.stdioClient(kind), 0)).tools).toHaveLength(9)
    }
  })

  it('[U4] keeps the lists that arrived before a client left, whatever other servers do', async () => {
    // Long enough for the two others on a busy machine.
    using home = new ColdHome({ exposure: 'full', servers: 3, slow: 1, slowMs: 600_000 }, 8_000)
    expect((await firstList(await home.stdioClient('v1'), 0)).tools).toHaveLength(6)
    expect((await firstList(await home.stdioClient('legacy'), 0)).tools).toHaveLength(6)
  })
})
