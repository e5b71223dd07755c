/**
 * `node:http` without an import statement. An import reads every export of a module, and one of them (`WebSocket`) loads
 * Node's fetch: 12 MB and 50 ms, which a gateway with stdio servers only does not need.
 */
export const http = process.getBuiltinModule('node:http')
