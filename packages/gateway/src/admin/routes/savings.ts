import type { EndpointSaving, LoadedTokens, RouteAnswer } from '@tooldex/contract/admin'
import type { CatalogSnapshot } from '../../catalog/catalog.ts'
import { savedBy, sumOfCosts } from '../../exposure/context-costs.ts'
import type { ClientCost, ContextCost } from '../../model/context-cost.ts'
import type { GatewayModel } from '../../model/gateway-model.ts'
import { currentNames } from './current-names.ts'
import type { AdminContext } from './admin-context.ts'
import { listedFor } from './project-preview.ts'
import { isInternalEndpoint } from './endpoints.ts'
import type { Handlers } from './handlers.ts'

/** The route about tokens that clients did not have to load. */
export function savingsHandlers(context: AdminContext) {
  const lists = new StateCache<ReturnType<typeof listedFor>>()
  return { getSavings: () => savings(context, lists) } satisfies Partial<Handlers>
}

/** The totals have all of them. */
const MOST_CLIENTS = 1_000

/**
 * What clients loaded, in all and by client, project and endpoint. Every figure is a sum of the same costs.
 * @param lists what endpoints list now: pages ask often, and thousands of tools take a while
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
        // Before anybody came, what the next client would get.
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

/** Absent where there is no name. */
function named<Key extends string>(key: Key, name: string | undefined): { readonly [Name in Key]?: string } {
  return (name === undefined ? {} : { [key]: name }) as { readonly [Name in Key]?: string }
}

/** What a search costs until one was measured: about what ten summaries and one whole tool take. */
const ASSUMED_PER_SEARCH = 600

/**
 * How many searches for each list cost as much as listing everything would; undefined where the list alone saves nothing.
 * What a search costs is measured where somebody searched.
 */
export function breakEvenOf(cost: ContextCost): EndpointSaving['breakEven'] {
  const { lists, searches, ifAllWereListed, ofLists, ofSearches, ofSchemas } = cost
  if (lists === 0 || ifAllWereListed <= ofLists) return undefined
  const isMeasured = searches > 0
  const perSearch = isMeasured ? Math.max(1, Math.ceil((ofSearches + ofSchemas) / searches)) : ASSUMED_PER_SEARCH
  const savedPerList = (ifAllWereListed - ofLists) / lists
  return { searches: Math.floor(savedPerList / perSearch), tokensPerSearch: perSearch, isMeasured }
}

/** Remembers what was worked out from a model and a catalog until either is another one. */
class StateCache<Value> {
  #model: GatewayModel | undefined
  #catalog: CatalogSnapshot | undefined
  readonly #known = new Map<string, Value>()

  get(key: string, { model, catalog }: State, workOut: () => Value): Value {
    if (model !== this.#model || catalog !== this.#catalog) this.#known.clear()
    this.#model = model
    this.#catalog = catalog
    const value = this.#known.get(key) ?? workOut()
    this.#known.set(key, value)
    return value
  }
}

interface State {
  readonly model: GatewayModel
  readonly catalog: CatalogSnapshot
}
