export { type AssembleOptions, assemble } from './assemble.ts'
export { GatewayError, type GatewayErrorCode, ServerReplyError } from './errors.ts'
export type { CallOptions, Gateway } from './gateway.ts'
