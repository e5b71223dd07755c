import { Agent, request } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { Principal } from '../../model/principal.ts'
import { GatewayError } from '../../errors.ts'
import { ENDPOINTS, modernRequest, openDoor } from './front-door.case.ts'
import type { Access } from './guards.ts'

const PRINCIPAL: Principal = { tokenId: 'a', name: 'A', readOnly: false }
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
afterEach(() => agent.destroy())

/** Sends the same bytes on the same connection as before. */
function listAgain(port: number): Promise<number> {
  const { headers, message } = modernRequest('tools/list')
  const body = JSON.stringify(message)
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path: '/mcp', method: 'POST', agent, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
    sent.setHeader('content-length', Buffer.byteLength(body))
    sent.on('error', reject).end(body)
  })
}

describe('A request with a head that was known before', () => {
  it('is refused when its token is not valid any more, and when its endpoint is gone', async () => {
    let [isValid, isThere] = [true, true]
    const access: Access = {
      authenticate: () => {
        if (isValid) return PRINCIPAL
        throw new GatewayError('TOKEN_INVALID')
      },
      endpoint: (id) => (isThere ? ENDPOINTS.find((each) => each.id === id) : undefined),
    }
    await using door = await openDoor({ access })
    expect([await listAgain(door.port), await listAgain(door.port)]).toEqual([200, 200])
    isValid = false
    expect(await listAgain(door.port)).toBe(401)
    isValid = true
    expect(await listAgain(door.port)).toBe(200)
    isThere = false
    expect(await listAgain(door.port)).toBe(404)
  })

  it('counts like any other', async () => {
    const taken: string[] = []
    const limits = {
      address: (address: string) => {
        taken.push(address)
        if (taken.length > 4) throw new GatewayError('RATE_LIMITED', { retryAfterSeconds: 7 })
      },
      token: (tokenId: string) => void taken.push(tokenId),
    }
    await using door = await openDoor({ limits })
    expect([await listAgain(door.port), await listAgain(door.port), await listAgain(door.port)]).toEqual([
      200, 200, 429,
    ])
    expect(taken).toEqual(['127.0.0.1', 'a', '127.0.0.1', 'a', '127.0.0.1'])
  })
})
