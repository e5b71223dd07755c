/** Words of the page “savings”. */
export const savings = {
  lead: 'What agents would load if every tool were listed, against what they do load: lists, searches and schemas.',
  since: 'Counted since',
  client: 'Client',
  token: 'Token',
  endpoint: 'Endpoint',
  project: 'Project',
  exposure: 'List',
  unnamed: 'unnamed client',
  ifAll: 'Everything listed',
  loaded: 'Loaded',
  listed: 'Listed now',
  lists: 'Lists',
  ofSearches: 'Searches',
  ofSchemas: 'Schemas',
  saved: 'Saved',
  costs: (tokens: string) => `costs ${tokens} more`,
  even: 'nothing',
  total: 'Saved in all',
  totalCost: 'Cost more in all',
  totalSaved: (saved: string, share: number) =>
    `Agents loaded ${saved} less than listing everything would have cost them: ${share} % were saved.`,
  totalCostText: (cost: string) =>
    `Lists, searches and schemas cost ${cost} more than listing everything would have. Small catalogs do not need search: set the list to automatic or full.`,
  totalEven: 'Agents loaded exactly what listing everything costs.',
  compare: 'Everything listed, against what was loaded',
  byClient: 'By client',
  byProject: 'By project',
  byEndpoint: 'By endpoint',
  breakEven: 'Pays off up to',
  breakEvenHint:
    'Searches for each list: with more of them in one conversation, listing everything would be cheaper. A search costs what was measured with its schemas, or about 600 tokens before anybody searched.',
  searches: (count: number) => (count === 1 ? '1 search' : `${count.toLocaleString('en')} searches`),
  perSearch: (tokens: string, isMeasured: boolean) =>
    isMeasured ? `A search costs ${tokens} here` : `A search is taken to cost ${tokens}`,
  never: 'no searches',
  neverHint: 'The list alone is not smaller than everything',
  empty: 'No lists loaded yet',
  emptyText: 'Figures appear when agents connect.',
  estimate:
    'Estimates: four characters are taken as one token. Counted once for each conversation, and kept as long as the audit log. Deferred tools count as loaded, unless the client is known to keep them out.',
}
