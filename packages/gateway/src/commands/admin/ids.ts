import { type Admin, answer } from './admin.ts'

/** `tooldex ids`: what a shell completes with. */
export async function showIds(admin: Admin, noun: 'server' | 'project' | 'endpoint' | 'token'): Promise<number> {
  const ids = await idsOf(admin, noun)
  return answer(admin, { ids }, ids)
}

async function idsOf({ client }: Admin, noun: 'server' | 'project' | 'endpoint' | 'token'): Promise<string[]> {
  switch (noun) {
    case 'server':
      return (await client.ask('listServers')).items.map(({ id }) => id)
    case 'project':
      return (await client.ask('listProjects')).items.map(({ id }) => id)
    case 'endpoint':
      return (await client.ask('listEndpoints')).items.map(({ id }) => id)
    case 'token':
      return (await client.ask('listTokens')).items.map(({ name }) => name)
  }
}
