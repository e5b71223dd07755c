export { type AssembleOptions, assemble, type CallOptions, type Gateway } from './assemble.ts'
export { GatewayError, type GatewayErrorCode, ServerReplyError } from './errors.ts'
