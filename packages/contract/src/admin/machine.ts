import { z } from 'zod'
import { serverId } from '../config.ts'
import { addressable, type AdminRoute, moment } from './parts.ts'
import { previewedServer, serverSchema } from './servers.ts'

const tag = 'this machine'
const params = z.strictObject({ client: z.string().describe('The id of the client: `cursor`, `claude-code` …') })

const installedClient = z.strictObject({
  client: z.string(),
  title: z.string().describe('Its name for people.'),
  file: z.string().describe('The file that the gateway would write itself into.'),
  writtenAt: moment.optional().describe('When this file was last changed by the gateway; that change can be undone.'),
})

const connection = z.strictObject({
  endpoint: z.string().describe('The endpoint that the client shall use.'),
  secret: z
    .string()
    .max(512)
    .optional()
    .describe(
      'The secret of a client token. Without it, a token is made that is valid for the project of the endpoint.',
    ),
})

const plannedConnection = z.strictObject({
  client: z.string(),
  title: z.string(),
  file: z.string(),
  action: z
    .enum(['write', 'update', 'connected', 'refused'])
    .describe('`connected`: the entry is there already. `refused`: the file cannot be changed, and `reason` says why.'),
  reason: z.string().optional(),
  diff: z
    .array(z.strictObject({ sign: z.enum(['+', '-']), line: z.string() }))
    .describe('The lines that change. Tokens are masked, and so are other entries on the same line.'),
  revision: z.string().describe('Of the file and the change. Send it to write exactly this.'),
})

const foundServer = previewedServer.omit({ config: true }).extend({
  digest: z.string().describe('Of the entry: it changes with it. Send it to add exactly this server.'),
  foundIn: z
    .array(z.strictObject({ client: z.string(), title: z.string(), file: z.string(), name: z.string() }))
    .describe('The clients that have it, each with its file and the name there.'),
  sameAs: z.string().optional().describe('The id of a server of the gateway that runs or reaches the same.'),
})

/** Clients and their servers on the machine of the gateway. Refused from any other machine. */
export const machineRoutes = {
  getMachine: {
    method: 'GET',
    path: '/machine',
    tag,
    summary: 'Whether the request comes from the machine of the gateway, and the clients that were found there.',
    responses: {
      200: z.strictObject({
        isThisMachine: z.boolean().describe('false through a proxy and from another machine; then `clients` is empty.'),
        clients: z.array(installedClient),
      }),
    },
  },
  previewClient: {
    method: 'POST',
    path: '/machine/clients/{client}/preview',
    tag,
    summary: 'The change that would write an endpoint into the file of a client. Nothing is written.',
    params,
    body: connection,
    responses: { 200: plannedConnection },
    problems: ['LOCAL_ONLY', 'CLIENT_NOT_FOUND', 'ENDPOINT_NOT_FOUND'],
  },
  connectClient: {
    method: 'POST',
    path: '/machine/clients/{client}/connect',
    tag,
    summary:
      'Writes an endpoint into the file of a client, as it was previewed, after a backup of the file. Nothing is written if the file has changed since.',
    params,
    body: connection.extend({ revision: z.string().describe('Of the preview.') }),
    responses: {
      200: z.strictObject({
        client: z.string(),
        title: z.string(),
        file: z.string(),
        token: z.string().optional().describe('The name of the token that was made.'),
      }),
    },
    problems: [
      'LOCAL_ONLY',
      'FRESH_PROOF_REQUIRED',
      'CLIENT_NOT_FOUND',
      'ENDPOINT_NOT_FOUND',
      'REVISION_CONFLICT',
      'CLIENT_FILE_REFUSED',
    ],
  },
  disconnectClient: {
    method: 'POST',
    path: '/machine/clients/{client}/undo',
    tag,
    summary:
      'Takes the latest change of a client’s file back, byte for byte if nothing else has changed it since, and revokes the token that was made for it.',
    params,
    responses: {
      200: z.strictObject({
        client: z.string(),
        title: z.string(),
        file: z.string(),
        outcome: z
          .enum(['restored', 'removed', 'edited'])
          .describe('`removed`: there was no file before. `edited`: only the entry was set back.'),
      }),
    },
    problems: ['LOCAL_ONLY', 'FRESH_PROOF_REQUIRED', 'CLIENT_NOT_FOUND', 'CLIENT_FILE_REFUSED'],
  },
  findServers: {
    method: 'GET',
    path: '/machine/servers',
    tag,
    summary: 'The servers in the files of the clients on this machine. Nothing is stored and nothing is started.',
    responses: {
      200: z.strictObject({
        items: z.array(foundServer),
        notes: z.array(z.string()).describe('Entries that are left out, in sentences.'),
        unreadable: z.array(z.strictObject({ file: z.string(), reason: z.string() })),
      }),
    },
    problems: ['LOCAL_ONLY'],
  },
  addFoundServer: {
    method: 'POST',
    path: '/machine/servers',
    tag,
    summary:
      'Adds a server of a client on this machine. Without a value that it refers to it is added switched off. The file of the client stays as it is.',
    body: z.strictObject({
      digest: z.string(),
      id: addressable(serverId),
      inputs: z.record(z.string(), z.string().max(20_000)).default({}).describe('By the name of a missing variable.'),
    }),
    responses: { 201: serverSchema },
    problems: ['LOCAL_ONLY', 'FRESH_PROOF_REQUIRED', 'NAME_TAKEN', 'REVISION_CONFLICT'],
  },
} as const satisfies Record<string, AdminRoute>

/** A client that was found on the machine of the gateway. */
export type InstalledClient = z.output<typeof installedClient>
/** The change that would write an endpoint into the file of a client. */
export type PlannedConnection = z.output<typeof plannedConnection>
/** A server in the files of the clients on this machine. */
export type FoundServer = z.output<typeof foundServer>
