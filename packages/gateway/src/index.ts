export { assemble } from './assemble.ts'
export { GatewayError, type GatewayErrorCode, ServerReplyError } from './errors.ts'
export type { AssembleOptions, CallOptions, Gateway } from './gateway.ts'
