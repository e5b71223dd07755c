import { z } from 'zod'

const text = z.string().min(1, 'must not be empty')
const milliseconds = z.int().positive()

/** Names of environment variables and headers, and their values. */
const textByName = z.record(z.string(), z.string())

/** What a server may cost. */
export const limitsSchema = z.strictObject({
  startTimeoutMs: milliseconds.default(30_000).describe('How long the server may take to start and say hello.'),
  listTimeoutMs: milliseconds.default(15_000).describe('How long it may take to list its tools, prompts or resources.'),
  callTimeoutMs: milliseconds.default(60_000).describe('How long a call may take; progress extends it.'),
  maxCallTimeoutMs: milliseconds.default(600_000).describe('How long a call may take at most, progress or not.'),
  maxConcurrentCalls: z.int().positive().default(64).describe('How many calls it gets at a time.'),
  maxReplyBytes: z
    .int()
    .positive()
    .default(32 * 1024 * 1024)
    .describe('A larger reply fails its call and nothing else.'),
  idleStopMs: z
    .int()
    .nonnegative()
    .default(300_000)
    .describe('An on-demand server stops after this long without a call; 0 keeps it.'),
  maxTools: z.int().positive().default(5_000).describe('Tools beyond this number are left out.'),
})

/** How to log in at a server: of a person, or of the gateway itself. */
const serverAuthSchema = z.strictObject({
  type: z
    .enum(['oauth', 'client-credentials'])
    .describe('`oauth`: a person logs in, in a browser. `client-credentials`: the gateway logs in by itself.'),
  clientId: text
    .optional()
    .describe(
      'As whom the gateway is registered at the authorization server. For `oauth` it registers by itself if absent.',
    ),
  clientSecret: text.optional().describe('The secret that it was given there.'),
  scope: text.optional().describe('What to ask for, separated by spaces. Without it: what the server says it needs.'),
  issuer: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional()
    .describe('The only authorization server that is given the secret. Without it: the one that the server names.'),
})

/** One server: a program to start (`command`) or an address to connect to (`url`), and what it may cost. */
export const serverConfigSchema = z.strictObject({
  command: text.optional().describe('The program to start. It is not run by a shell.'),
  args: z.array(z.string()).optional().describe('Its arguments.'),
  env: textByName
    .optional()
    .describe('Its environment, beside PATH, HOME and the like. Nothing else of the gateway’s is inherited.'),
  cwd: text.optional().describe('The folder it is started in.'),
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .optional()
    .describe('The address of a server that runs already.'),
  headers: textByName.optional().describe('Headers for every request to `url`.'),
  auth: serverAuthSchema
    .optional()
    .describe('How to log in at `url`. Without it a person logs in where the server asks for it.'),
  type: z
    .enum(['stdio', 'http', 'streamable-http', 'sse'])
    .optional()
    .describe('The transport. Without it: stdio for a `command`, Streamable HTTP for a `url`.'),
  name: text.optional().describe('What people call it, and the prefix of its tools’ names. Its id if absent.'),
  enabled: z.boolean().optional().describe('false keeps the entry but does not use the server.'),
  disabled: z.boolean().optional().describe('The other spelling of `enabled: false`.'),
  start: z
    .enum(['eager', 'on-demand'])
    .default('eager')
    .describe('With the gateway, or with the first call; its last known tools are found meanwhile.'),
  era: z
    .enum(['auto', 'legacy', '2026-07-28'])
    .default('auto')
    .describe('The protocol to speak. `auto` finds out over HTTP and takes a program as `legacy`.'),
  limits: limitsSchema.prefault({}).describe('Time and size limits.'),
  toolPermissions: z
    .record(z.string(), z.boolean())
    .optional()
    .describe('By the server’s own tool name; false forbids the tool everywhere, an absent one is allowed.'),
})
