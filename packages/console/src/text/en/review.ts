/** Texts of the review page. */
export const review = {
  lead: 'Servers can change what their tools say. Changes that loosen a rule or look hostile wait here; until then agents get the approved definition, or nothing.',
  states: 'Definitions by state',
  state: { held: 'Waiting', blocked: 'Blocked', recorded: 'Recorded' },
  empty: {
    held: 'Nothing waits for approval',
    blocked: 'Nothing is blocked',
    recorded: 'No recorded changes',
  },
  emptyText:
    'Harmless changes are recorded and take effect at once. How strict this is can be set for the gateway, a server or a project.',
  kind: {
    tool: 'Tool',
    prompt: 'Prompt',
    'resource-template': 'Resource template',
    instructions: 'Server instructions',
    program: 'Command or URL',
  },
  isNew: 'New',
  isChanged: 'Changed',
  served: 'Agents use the approved definition meanwhile.',
  notServed: 'Agents cannot use it until it is approved.',
  reasons: 'Reasons',
  severity: { hold: 'Held', block: 'Suspicious' },
  approve: 'Approve',
  block: 'Block',
  approveAll: (count: number) => `Approve all ${count}`,
  approveOthers: (count: number) => `Approve the other ${count}`,
  decided: (count: number) => (count === 1 ? 'Decision saved' : `${count} decisions saved`),
  trust: 'Approval of changes',
  trustMode: { standard: 'Standard', strict: 'Strict', off: 'Off' },
  trustHint: {
    standard: 'Harmless changes take effect; what loosens a rule or looks hostile waits.',
    strict: 'Every change and every new tool waits.',
    off: 'Every change takes effect at once.',
  },
}
