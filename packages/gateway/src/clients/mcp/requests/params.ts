/** JSON-RPC: the method exists, its parameters do not fit. */
export const INVALID_PARAMS = -32_602
/** JSON-RPC: no such method. */
export const METHOD_NOT_FOUND = -32_601
