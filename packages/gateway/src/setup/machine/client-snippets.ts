import type { ConnectSnippet } from '../../exposure/connect-snippets.ts'
import { clientFiles } from '../client-files.ts'
import { editText } from '../edit-text.ts'
import { gatewayEdit, type GatewayTarget } from '../gateway-entry.ts'
import { titleOf } from './plan-client.ts'

/** The entry of the gateway in the file of every client, as `tooldex setup` writes it. */
export function clientSnippets(target: GatewayTarget): ConnectSnippet[] {
  // A folder that cannot exist: only what is installed on this machine depends on it.
  const files = clientFiles({ variables: {}, cwd: '~/project', home: '~' })
  const own = files.filter(({ isMain, scope }) => isMain && scope === 'user')
  const known = new Set(own.map(({ client }) => client))
  const inProject = files.filter(({ isMain, client }) => isMain && client !== 'other' && !known.has(client))
  return [...own, ...inProject].map(({ client, path, format }) => ({
    client: titleOf(client),
    kind: 'file',
    file: path.replace('~/project/', ''),
    text: editText('', format, [gatewayEdit(client, target)], path),
  }))
}
