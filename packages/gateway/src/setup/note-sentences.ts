import { asRecord } from '../config/merge-config.ts'
import { specOf } from './client-specs.ts'
import type { Note, ReadServer } from './read-server.ts'

/** What the user should know about an imported server, in sentences. Missing values are not among them: they are asked for. */
export function serverSentences(server: ReadServer, clientId: string, id: string): readonly string[] {
  const client = specOf(clientId)?.title ?? clientId
  const inherits =
    server.transport === 'stdio' && server.env.size === 0 && server.envFile === undefined
      ? ['starts with PATH, HOME and similar variables only; others that it needs go into its environment']
      : []
  return [...server.notes.flatMap((note) => sentenceOf(note, { tools: server.tools, id }, client)), ...inherits]
}

function sentenceOf(
  { code, detail }: Note,
  { tools, id }: { readonly tools: ReadServer['tools'] | undefined; readonly id: string },
  client: string,
): readonly string[] {
  const text = typeof detail === 'string' ? detail : JSON.stringify(detail)
  switch (code) {
    case 'disabled':
      return [`is off in ${client}${detail === undefined ? '' : ` (${text})`}, so it is off here`]
    case 'disabled-in-project':
      return [`is off in the project ${text} of ${client}; here it is on`]
    case 'tool-filter':
      return filterSentences(tools, client)
    case 'tool-approval':
    case 'auto-approve':
      return [
        `runs ${code === 'auto-approve' || text === '*' ? 'every tool' : text} without a question in ${client}; consent stays in the client`,
      ]
    case 'empty-variable':
      return [`\${${text}} is not set and empty, as in ${client}`]
    case 'literal-variable':
      return [`${text} looks like a variable; ${client} passes it literally, and so does the gateway`]
    case 'literal-in-cli':
      return [`${text} is a variable in the editor and not in the command line of ${client}; here it is one`]
    case 'inline-secret':
      return [`has a secret in the file (${text}); here it is kept encrypted`]
    case 'oauth':
      return [`needs a login: tooldex server login ${id}`]
    case 'bridge':
      return [
        `only forwards to ${String(asRecord(detail)['url'])}; connecting to it directly is faster: tooldex server set ${id} --url …`,
      ]
    case 'env-file':
      return [`reads its environment from ${text} when it starts`]
    case 'file-reference':
      return [`reads ${text} when it starts`]
    case 'env-unset':
      return [`removes ${text} from its environment; here it never gets it`]
    case 'bare-name-variable':
      return [`${text} is the name of a variable, whose value it gets`]
    case 'old-shape':
      return [`has an old shape, which ${client} no longer writes`]
    case 'eager-loading':
    case 'ignored-key':
    case 'unknown-key':
    case 'no-counterpart':
      return [`the key ${text} has no counterpart here`]
    default:
      return []
  }
}

function filterSentences(tools: ReadServer['tools'] | undefined, client: string): readonly string[] {
  const { allow, deny } = tools ?? {}
  const patterns = deny?.filter((name) => name.includes('*')) ?? []
  const denied = deny?.filter((name) => !name.includes('*')) ?? []
  return [
    ...(allow === undefined ? [] : [`${client} uses only ${allow.join(', ')}; here all its tools are allowed`]),
    ...(denied.length === 0 ? [] : [`${denied.join(', ')} denied, as in ${client}`]),
    ...(patterns.length === 0 ? [] : [`${client} also hides ${patterns.join(', ')}; deny these tools one by one`]),
  ]
}

/** What the user should know about a file, in sentences. */
export function fileSentence({ code, detail }: Note, clientId: string): string | undefined {
  const client = specOf(clientId)?.title ?? clientId
  const facts = asRecord(detail)
  switch (code) {
    case 'skipped':
      return `${String(facts['server'])} is left out: ${String(facts['why'])}`
    case 'extension':
      return `the extension ${String(facts['name'])} of ${client} stays there: its files belong to the application`
    case 'needs-trust':
      return `${client} reads this file in trusted folders only`
    case 'project-file-choice':
      return `${client} asks about .mcp.json of ${String(facts['project'])}: approved ${list(facts['approved'])}, rejected ${list(facts['rejected'])}`
    case 'sandbox-rules':
      return `the sandbox rules of ${client} are not taken over`
    default:
      return undefined
  }
}

const list = (value: unknown): string => (Array.isArray(value) && value.length > 0 ? value.join(', ') : 'none')
