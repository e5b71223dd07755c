import { Agent, get } from 'node:http'

/** One connection that stays open, as a balancer has it. */
export function keptConnection(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return (path: string) =>
    new Promise<{ status: number | undefined; connection: string | undefined; isReused: boolean }>(
      (resolve, reject) => {
        const request = get(`${url}${path}`, { agent }, (res) => {
          const { statusCode: status, headers } = res.resume()
          res.on('end', () => resolve({ status, connection: headers.connection, isReused: request.reusedSocket }))
        }).on('error', reject)
      },
    )
}
