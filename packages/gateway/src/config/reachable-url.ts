import type { ListenConfig } from './gateway-config.ts'

/** Addresses that mean every interface and that nobody can be sent to. */
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '[::]'])

/** The address that a browser can be sent to: the public one, or a name of ours where we listen everywhere. */
export function reachableUrl(
  listening: string,
  { publicUrl, allowedHosts }: Pick<ListenConfig, 'publicUrl' | 'allowedHosts'>,
): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '')
  const { hostname, port } = new URL(listening)
  return EVERYWHERE.has(hostname) ? `http://${allowedHosts[0] ?? '127.0.0.1'}:${port}` : listening
}
