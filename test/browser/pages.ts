/** A page of the console; it is loaded when its heading is visible. */
export interface ConsolePage {
  readonly name: string
  readonly path: string
  readonly heading: string
}

/** Every page of a gateway with the server `memory` and a token called laptop. */
export function pagesOf(token: string): readonly ConsolePage[] {
  return [
    { name: 'home', path: '', heading: 'Home' },
    { name: 'servers', path: 'servers', heading: 'Servers' },
    { name: 'server', path: 'servers/memory', heading: 'memory' },
    { name: 'server-logs', path: 'servers/memory?tab=logs', heading: 'memory' },
    { name: 'server-settings', path: 'servers/memory?tab=settings', heading: 'memory' },
    { name: 'tools', path: 'tools', heading: 'Tools' },
    { name: 'tool', path: 'tools/memory%3Acreate_entities', heading: 'memory:create_entities' },
    { name: 'projects', path: 'projects', heading: 'Projects' },
    { name: 'project', path: 'projects/default', heading: 'Default' },
    { name: 'endpoints', path: 'endpoints', heading: 'Endpoints' },
    { name: 'endpoint', path: 'endpoints/default', heading: 'default' },
    { name: 'tokens', path: 'tokens', heading: 'Tokens' },
    { name: 'token', path: `tokens/${token}?tool=memory%3Acreate_entities`, heading: 'laptop' },
    { name: 'prompts', path: 'prompts', heading: 'Prompts and resources' },
    { name: 'review', path: 'review', heading: 'Review' },
    { name: 'search', path: 'search?q=create%20entities', heading: 'Search' },
    { name: 'audit', path: 'audit', heading: 'Audit' },
    { name: 'savings', path: 'savings', heading: 'Savings' },
    { name: 'settings', path: 'settings', heading: 'Settings' },
  ]
}
