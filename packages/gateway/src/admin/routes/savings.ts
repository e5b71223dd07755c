import type { EndpointSaving, LoadedTokens, RouteAnswer } from '@tooldex/contract/admin'
import type { CatalogSnapshot } from '../../catalog/catalog.ts'
import { savedBy, sumOfCosts } from '../../exposure/context-costs.ts'
import type { ClientCost, ContextCost } from '../../model/context-cost.ts'
import type { GatewayModel } from '../../model/gateway-model.ts'
import type { AdminContext, Handlers } from './admin-context.ts'
import { currentNames } from './audit.ts'
import { isInternalEndpoint } from '../../model/endpoint.ts'
import { listedFor } from './project-preview.ts'

/** The route about the tokens that clients saved. */
export function savingsHandlers(context: AdminContext) {
  const lists = new StateCache<ReturnType<typeof listedFor>>()
  return { getSavings: () => savings(context, lists) } satisfies Partial<Handlers>
}

/** The totals count all clients, the list shows this many. */
const MOST_CLIENTS = 1_000

/**
 * The tokens that clients loaded, in total and by client, project and endpoint. All figures are sums of the same costs.
 * @param lists a cache of the lists of endpoints, which are slow to compute for thousands of tools
 */
async function savings(
  context: AdminContext,
  lists: StateCache<ReturnType<typeof listedFor>>,
): Promise<RouteAnswer<'getSavings'>> {
  const totals = await context.live.costs.totals()
  const costs = totals.costs.filter(({ client }) => !isInternalEndpoint(client.endpointId))
  const endpoints = [...context.model.endpoints.values()].filter(({ id }) => !isInternalEndpoint(id))
  const names = currentNames(context)
  return {
    since: totals.since,
    total: loadedIn(sumOf(costs)),
    clients: costs
      .toSorted(bySaved)
      .slice(0, MOST_CLIENTS)
      .map(({ client, cost }) => {
        const { endpointId: endpoint, projectId: project, tokenId, clientName } = client
        return {
          ...(clientName !== undefined && { client: clientName }),
          tokenId,
          ...named('tokenName', names.token(tokenId)),
          endpoint,
          project,
          ...named('projectName', names.project(project)),
          loaded: loadedIn(cost),
          ...evenOf(cost),
        }
      }),
    projects: byProject(costs).map(([project, cost]) => ({
      project,
      ...named('projectName', names.project(project)),
      loaded: loadedIn(cost),
      ...evenOf(cost),
    })),
    endpoints: endpoints.map((endpoint): EndpointSaving => {
      const { exposure, tokens, whole } = lists.get(endpoint.id, context, () => listedFor(endpoint, context))
      const cost = sumOf(costs.filter(({ client }) => client.endpointId === endpoint.id))
      return {
        endpoint: endpoint.id,
        project: endpoint.projectId,
        exposure,
        tokensIfAllWereListed: whole,
        tokensListed: tokens,
        loaded: loadedIn(cost),
        // Before the first client, the figures that it would get.
        ...evenOf(cost.lists > 0 ? cost : { ...cost, lists: 1, ifAllWereListed: whole, ofLists: tokens }),
      }
    }),
  }
}

function loadedIn(cost: ContextCost): LoadedTokens {
  return {
    lists: cost.lists,
    searches: cost.searches,
    tokensIfAllWereListed: cost.ifAllWereListed,
    tokensOfLists: cost.ofLists,
    tokensOfSearches: cost.ofSearches,
    tokensOfSchemas: cost.ofSchemas,
    tokensSaved: savedBy(cost),
  }
}

function byProject(costs: readonly ClientCost[]): [project: string, cost: ContextCost][] {
  const groups = Map.groupBy(costs, ({ client }) => client.projectId)
  const sums = Array.from(groups, ([project, group]): [string, ContextCost] => [project, sumOf(group)])
  return sums.toSorted(([, one], [, other]) => savedBy(other) - savedBy(one))
}

const sumOf = (costs: readonly ClientCost[]): ContextCost => sumOfCosts(costs.map(({ cost }) => cost))

const bySaved = (one: ClientCost, other: ClientCost): number => savedBy(other.cost) - savedBy(one.cost)

function evenOf(cost: ContextCost): Pick<EndpointSaving, 'breakEven'> {
  const breakEven = breakEvenOf(cost)
  return breakEven === undefined ? {} : { breakEven }
}

/** An object with the name, or an empty one. */
function named<Key extends string>(key: Key, name: string | undefined): { readonly [Name in Key]?: string } {
  return (name === undefined ? {} : { [key]: name }) as { readonly [Name in Key]?: string }
}

/** The cost of a search before the first one is measured: about ten summaries and one tool definition. */
const ASSUMED_PER_SEARCH = 600

/**
 * The number of searches per list that cost as much as listing everything; undefined if the list alone saves nothing.
 * The cost of a search is the measured one, if there is any.
 */
export function breakEvenOf(cost: ContextCost): EndpointSaving['breakEven'] {
  const { lists, searches, ifAllWereListed, ofLists, ofSearches, ofSchemas } = cost
  if (lists === 0 || ifAllWereListed <= ofLists) return undefined
  const isMeasured = searches > 0
  const perSearch = isMeasured ? Math.max(1, Math.ceil((ofSearches + ofSchemas) / searches)) : ASSUMED_PER_SEARCH
  const savedPerList = (ifAllWereListed - ofLists) / lists
  return { searches: Math.floor(savedPerList / perSearch), tokensPerSearch: perSearch, isMeasured }
}

/** Caches values derived from a model and a catalog until either changes. */
class StateCache<Value> {
  #model: GatewayModel | undefined
  #catalog: CatalogSnapshot | undefined
  readonly #known = new Map<string, Value>()

  get(key: string, { model, catalog }: State, compute: () => Value): Value {
    if (model !== this.#model || catalog !== this.#catalog) this.#known.clear()
    this.#model = model
    this.#catalog = catalog
    const value = this.#known.get(key) ?? compute()
    this.#known.set(key, value)
    return value
  }
}

interface State {
  readonly model: GatewayModel
  readonly catalog: CatalogSnapshot
}
