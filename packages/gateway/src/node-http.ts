/**
 * `node:http` without an import statement. Importing it reads all its exports, and one of them (`WebSocket`) loads Node's
 * fetch: 12 MB and 50 ms that a gateway with stdio servers does not need.
 */
export const http = process.getBuiltinModule('node:http')
