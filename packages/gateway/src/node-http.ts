/**
 * `node:http`, fetched rather than imported. An import reads every export of a module, and one of these (`WebSocket`) loads
 * the whole of Node's own fetch: 12 MB and 50 ms for a gateway that speaks to its servers over standard streams.
 */
export const http = process.getBuiltinModule('node:http')
