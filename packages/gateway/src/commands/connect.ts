import { listeningUrl, reachableUrl } from '../config/gateway-config.ts'
import { LOCAL_PRINCIPAL } from '../config/local-access.ts'
import { connectLines } from '../exposure/connect-snippets.ts'
import { DEFAULT_ENDPOINT } from '../model/gateway-model.ts'
import type { CommandContext } from './gateway/context.ts'
import type { CommonOptions } from './terminal/command-options.ts'
import { EXIT } from './terminal/exit-codes.ts'
import { checkEndpoint, loadConfigFile, withModel } from './gateway/load-config-file.ts'

/** Options of `tooldex connect`. */
export interface ConnectOptions extends CommonOptions {
  readonly endpoint?: string
}

/** Stands where the reader puts a token. */
const TOKEN = '<token>'

/** `tooldex connect`: how to connect clients and model APIs to an endpoint. Starts nothing and shows no secret. */
export async function connect(options: ConnectOptions, context: CommandContext): Promise<number> {
  const loaded = await loadConfigFile(options, context)
  const endpointId = options.endpoint ?? DEFAULT_ENDPOINT
  await withModel(loaded, context, (model) => checkEndpoint(model, endpointId))
  const { listen } = loaded.config
  const path = endpointId === DEFAULT_ENDPOINT ? '/mcp' : `/${encodeURIComponent(endpointId)}/mcp`
  const url = `${reachableUrl(listeningUrl(listen), listen)}${path}`
  const { withLocalGateway } = await import('./gateway/open-gateway.ts')
  const snippets = await withLocalGateway(loaded, context, async (gateway) =>
    gateway.snippets(endpointId, url, LOCAL_PRINCIPAL),
  )
  const clients = connectLines({ url, token: TOKEN })
  const { terminal } = context
  if (options.json === true) terminal.out(`${JSON.stringify({ endpoint: endpointId, url, clients, ...snippets })}\n`)
  else terminal.out(`${render(url, clients, snippets)}\n`)
  return EXIT.ok
}

function render(
  url: string,
  clients: ReturnType<typeof connectLines>,
  snippets: { readonly anthropic: object; readonly openai: object },
): string {
  return [
    `  endpoint   ${url}`,
    ...clients.map(({ client, text }) => `  ${client.padEnd(12)} ${text}`),
    '',
    '  In a request to the Anthropic Messages API:',
    JSON.stringify(snippets.anthropic, null, 2),
    '',
    '  In a request to the OpenAI Responses API:',
    JSON.stringify(snippets.openai, null, 2),
  ].join('\n')
}
