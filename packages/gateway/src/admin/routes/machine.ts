import type { Machine } from '../../config/environment.ts'
import { GatewayError } from '../../errors.ts'
import type { AdminCaller } from '../access/admin-caller.ts'
import { requireFreshProof } from '../access/fresh-proof.ts'
import { ServerChanges } from '../changes/server-changes.ts'
import { TokenChanges } from '../changes/token-changes.ts'
import type { AdminContext, Handlers } from './admin-context.ts'
import { serverAnswer } from './servers/servers.ts'

/**
 * Routes about the clients on the machine of the gateway. They read and write files of its user, so they are for
 * administrators at this machine only.
 */
export function machineHandlers(context: AdminContext) {
  const servers = new ServerChanges(context.administration)
  const tokens = new TokenChanges(context.administration, context.parts.now)
  // The readers and writers of clients' files are loaded when somebody needs them.
  const files = () => import('./machine-files.ts')
  return {
    getMachine: async ({ caller }) => {
      const machine = machineOf(caller, context)
      if (machine === undefined) return { isThisMachine: false, clients: [] }
      const { foundClients } = await files()
      return { isThisMachine: true, clients: foundClients(machine) }
    },
    previewClient: async ({ params, body, caller }) => {
      const machine = localMachine(caller, context)
      const { planConnection, shownPlan } = await files()
      return shownPlan(planConnection(params.client, body, machine, context))
    },
    connectClient: async ({ params, body, caller }) => {
      const machine = localMachine(caller, context)
      requireFreshProof(caller, `a file of the client ${JSON.stringify(params.client)} on this machine would change`)
      const { connect } = await files()
      return connect(params.client, body, machine, { context, tokens })
    },
    disconnectClient: async ({ params, caller }) => {
      const machine = localMachine(caller, context)
      requireFreshProof(caller, `a file of the client ${JSON.stringify(params.client)} on this machine would change`)
      const { undoLatest } = await files()
      return undoLatest(params.client, machine, { context, tokens })
    },
    findServers: async ({ caller }) => {
      const machine = localMachine(caller, context)
      const { findServers } = await files()
      return findServers(machine, context)
    },
    addFoundServer: async ({ body, caller }) => {
      const machine = localMachine(caller, context)
      // The entry may have secrets of this machine, even if it runs no program.
      requireFreshProof(caller, `the server ${JSON.stringify(body.id)} would be read from a file of this machine`)
      const { foundServer } = await files()
      await servers.create({ id: body.id, ...foundServer(body, machine, context) }, caller)
      return serverAnswer(context.entries.server(body.id), context, caller)
    },
  } satisfies Partial<Handlers>
}

function machineOf({ isLocal = false }: AdminCaller, { parts: { machine } }: AdminContext): Machine | undefined {
  return isLocal && machine?.isPrivate === true ? machine : undefined
}

/** @throws GatewayError LOCAL_ONLY */
function localMachine(caller: AdminCaller, context: AdminContext): Machine {
  const machine = machineOf(caller, context)
  if (machine !== undefined) return machine
  throw new GatewayError('LOCAL_ONLY', {
    reason:
      caller.isLocal === true
        ? 'this gateway serves other machines, too'
        : 'the request comes from another machine, or through a proxy',
    remedy: 'Open the console on the machine of the gateway, without a proxy, or run `tooldex setup` there',
  })
}
