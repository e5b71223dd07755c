/** Texts of the savings page. */
export const savings = {
  lead: 'Tokens that agents loaded in lists, searches and schemas, compared with listing every tool.',
  since: 'Counted since',
  client: 'Client',
  token: 'Token',
  endpoint: 'Endpoint',
  project: 'Project',
  exposure: 'Exposure',
  unnamed: 'unnamed client',
  ifAll: 'All tools listed',
  loaded: 'Loaded',
  listed: 'Listed now',
  lists: 'Lists',
  ofSearches: 'Searches',
  ofSchemas: 'Schemas',
  saved: 'Saved',
  costs: (tokens: string) => `costs ${tokens} more`,
  even: 'nothing',
  total: 'Total saved',
  totalCost: 'Total extra cost',
  totalSaved: (saved: string, share: number) =>
    `Agents loaded ${saved} less than listing every tool would have cost: ${share}% saved.`,
  totalCostText: (cost: string) =>
    `Lists, searches and schemas cost ${cost} more than listing every tool would have. A small catalog does not need search: set the exposure to Automatic or Full.`,
  totalEven: 'Agents loaded exactly as much as listing every tool would have cost.',
  compare: 'All tools listed, compared with tokens loaded',
  byClient: 'By client',
  byProject: 'By project',
  byEndpoint: 'By endpoint',
  breakEven: 'Break-even',
  breakEvenHint:
    'Break-even is the number of searches per list beyond which listing every tool would be cheaper. The cost of a search, with its schemas, is measured; before the first search it is assumed to be about 600 tokens.',
  searches: (count: number) => (count === 1 ? '1 search' : `${count.toLocaleString('en')} searches`),
  perSearch: (tokens: string, isMeasured: boolean) =>
    isMeasured ? `Measured cost of a search: ${tokens}` : `Assumed cost of a search: ${tokens}`,
  never: 'never',
  neverHint: 'The list alone costs as much as listing every tool',
  empty: 'No tool lists loaded yet',
  emptyText: 'Figures appear when agents connect.',
  estimate:
    'Estimates, at four characters per token. Each conversation counts once. Figures are kept as long as the audit log. Deferred tools count as loaded unless the client is known to keep them out of its context.',
}
