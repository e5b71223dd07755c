import type { EndpointSaving, LoadedTokens, RouteAnswer } from '@tooldex/contract/admin'
import { savedBy, sumOfCosts } from '../exposure/context-costs.ts'
import type { ClientCost, ContextCost } from '../model/context-cost.ts'
import { breakEvenOf } from './break-even.ts'
import { namesNow } from './names-now.ts'
import type { OncePerState } from './once-per-state.ts'
import type { AdminPicture } from './picture.ts'
import { listedFor } from './project-preview.ts'
import { isOwn } from './token-answers.ts'

/** The totals have all of them. */
const MOST_CLIENTS = 1_000

/**
 * What clients loaded, in all and by client, project and endpoint. Every figure is a sum of the same costs.
 * @param lists what endpoints list now: pages ask often, and thousands of tools take a while
 */
export async function savings(
  picture: AdminPicture,
  lists: OncePerState<ReturnType<typeof listedFor>>,
): Promise<RouteAnswer<'getSavings'>> {
  const totals = await picture.live.costs.totals()
  const costs = totals.costs.filter(({ client }) => !isOwn(client.endpointId))
  const endpoints = [...picture.model.endpoints.values()].filter(({ id }) => !isOwn(id))
  const names = namesNow(picture)
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
      const { exposure, tokens, whole } = lists.get(endpoint.id, picture, () => listedFor(endpoint, picture))
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
