import { z } from 'zod'
import { acceptedFindingSchema } from './findings-config.ts'

const text = z.string().min(1, 'must not be empty')
const milliseconds = z.int().positive()

/** How much servers may change by themselves. */
export const trustMode = z.enum(['standard', 'strict', 'off'])

/** Names of environment variables and headers, and their values. */
const textByName = z.record(z.string(), z.string())

const REFERENCE = /\$\{[^}]*\}/g

/** An http or https address. References such as `${HOST}` are accepted anywhere in it; they are resolved when the server starts. */
const address = z.string().refine(isAddress, 'must be an http or https address')

function isAddress(value: string): boolean {
  const plain = value.replace(REFERENCE, '1')
  // The whole address may come from one variable.
  return plain === '1' || (/^https?:\/\//i.test(plain) && URL.canParse(plain))
}

/** The limits of a server. */
export const limitsSchema = z.strictObject({
  startTimeoutMs: milliseconds.default(30_000).describe('How long the server may take to start and to initialize.'),
  listTimeoutMs: milliseconds.default(15_000).describe('How long it may take to list its tools, prompts or resources.'),
  callTimeoutMs: milliseconds.default(60_000).describe('How long a call may take; progress extends it.'),
  maxCallTimeoutMs: milliseconds.default(600_000).describe('How long a call may take at most, progress or not.'),
  maxConcurrentCalls: z
    .int()
    .positive()
    .optional()
    .describe(
      'Calls that it receives at a time; others wait for their turn, for `callTimeoutMs` at most. 64 for a program and 512 behind a URL if absent.',
    ),
  maxReplyBytes: z
    .int()
    .positive()
    .default(32 * 1024 * 1024)
    .describe('The call of a larger reply fails, and nothing else.'),
  idleStopMs: z
    .int()
    .nonnegative()
    .default(300_000)
    .describe('An on-demand server stops after this long without a call; 0 keeps it.'),
  maxInstances: z
    .int()
    .positive()
    .default(32)
    .describe('Processes of a program that run for one client each, beside the one that all share.'),
  maxTools: z.int().positive().default(5_000).describe('Tools beyond this number are left out.'),
})

/** How a person or the gateway itself logs in at a server. */
const serverAuthSchema = z.strictObject({
  type: z
    .enum(['oauth', 'client-credentials'])
    .describe('`oauth`: a person logs in, in a browser. `client-credentials`: the gateway logs in by itself.'),
  clientId: text
    .optional()
    .describe(
      'The gateway’s client id at the authorization server. For `oauth` the gateway registers itself if absent.',
    ),
  clientSecret: text.optional().describe('The client secret that belongs to it.'),
  scope: text
    .optional()
    .describe('The scopes to request, separated by spaces. Without it: those that the server names.'),
  issuer: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional()
    .describe('The only authorization server that receives the secret. Without it: the one that the server names.'),
})

/** One server: a program to start (`command`) or an address to connect to (`url`), with its limits. */
export const serverConfigSchema = z.strictObject({
  command: text.optional().describe('The program to start. It is not run by a shell.'),
  args: z.array(z.string()).optional().describe('Its arguments.'),
  env: textByName
    .optional()
    .describe('Its environment, beside PATH, HOME and the like. Nothing else is inherited from the gateway.'),
  envFile: text
    .optional()
    .describe('A file of `NAME=value` lines that are added to its environment; `env` has precedence.'),
  cwd: text.optional().describe('The folder it is started in.'),
  url: address.optional().describe('The address of a running server.'),
  headers: textByName.optional().describe('Headers for every request to `url`.'),
  auth: serverAuthSchema
    .optional()
    .describe('How to log in at `url`. Without it a person logs in if the server asks for it.'),
  type: z
    .enum(['stdio', 'http', 'streamable-http', 'sse'])
    .optional()
    .describe('The transport. Without it: stdio for a `command`, Streamable HTTP for a `url`.'),
  inputs: textByName
    .optional()
    .describe('Values for `${input:NAME}` and `${NAME}` in the other keys, before the environment. Kept encrypted.'),
  name: text.optional().describe('Its display name, and the prefix of its tools’ names. Its id if absent.'),
  description: text
    .max(500, 'must have at most 500 characters')
    .optional()
    .describe(
      'What it is for, in a sentence. Models read it when they connect; without it the first words of its instructions.',
    ),
  enabled: z.boolean().optional().describe('false keeps the entry but does not use the server.'),
  disabled: z.boolean().optional().describe('The other spelling of `enabled: false`.'),
  start: z
    .enum(['eager', 'on-demand'])
    .default('eager')
    .describe(
      '`eager`: with the gateway. `on-demand`: with the first call; until then its last known tools are listed.',
    ),
  era: z
    .enum(['auto', 'legacy', '2026-07-28'])
    .default('auto')
    .describe('The protocol revision. `auto` detects it over HTTP and assumes `legacy` for a program.'),
  instances: z
    .enum(['auto', 'shared', 'per-client'])
    .default('auto')
    .describe(
      'Processes of a program. `shared`: one for all clients. `per-client`: one for each client. `auto`: one for all until the program asks its clients back (roots, elicitation, sampling), then one for each.',
    ),
  placement: z
    .enum(['each', 'one'])
    .optional()
    .describe(
      'Where a program runs if several gateways share a database. `each`: in every gateway, also if absent. `one`: in one of them, to which the others send their calls; for programs that keep state.',
    ),
  roots: z
    .boolean()
    .default(true)
    .describe(
      'Whether a program gets the folders (roots) of a client on this machine. Programs that take folders as arguments often use these instead. Needs a process for each client.',
    ),
  limits: limitsSchema.prefault({}).describe('Time and size limits.'),
  toolPermissions: z
    .record(z.string(), z.boolean())
    .optional()
    .describe('By the server’s own tool name; false forbids the tool everywhere, an absent one is allowed.'),
  trust: trustMode
    .optional()
    .describe(
      'What happens when it changes its definitions: `standard` records harmless changes and holds the others for approval, `strict` holds all, `off` none. The strictest setting of gateway, server and its projects counts; `standard` if there is none.',
    ),
  acceptedFindings: z
    .array(acceptedFindingSchema)
    .optional()
    .describe('Findings of the scanner that somebody looked at and accepted: `{ rule, tool }` or `{ fingerprint }`.'),
})
