/** Words of the page “savings”. */
export const savings = {
  lead: 'What agents would load if every tool were listed, against what they do load.',
  since: 'Since',
  endpoint: 'Endpoint',
  project: 'Project',
  exposure: 'List',
  ifAll: 'Everything listed',
  listed: 'Listed now',
  lists: 'Lists loaded',
  saved: 'Saved',
  cost: 'Costs more',
  total: 'Saved in all',
  totalCost: 'Spent in all',
  perList: 'For each list',
  breakEven: 'Pays off up to',
  breakEvenHint:
    'A search with its schemas costs about 600 tokens; beyond this many searches in one conversation, listing everything would be cheaper.',
  searches: (count: number) => (count === 1 ? '1 search' : `${count.toLocaleString()} searches`),
  never: 'never: everything is listed',
  empty: 'No lists loaded yet',
  emptyText: 'Figures appear when agents connect.',
  estimate: 'Estimates: four characters are taken as one token. Counted since the gateway started.',
}
