import type { CatalogTool } from '../../../catalog/catalog.ts'
import {
  decodedField,
  type HeaderParameter,
  headerParametersIn,
  repeatedValue,
} from '../../../servers/protocol/header-parameters.ts'
import { RPC_CODE } from '../json-rpc.ts'
import { RpcError } from './request-handler.ts'

type Definition = CatalogTool['definition']

/** The headers of a call. */
interface Repeated {
  /** By the parameter's name in lower case; absent if the transport or the era has none. */
  readonly headers: ReadonlyMap<string, string> | undefined
  /** Whether an argument may come without its header. */
  readonly mayBeMissing: boolean
}

/**
 * Compares arguments with the headers that repeat them (`x-mcp-header`, 2026-07-28): a proxy that
 * routes by header must see the same values as the server. The headers for the server are made anew from the arguments.
 */
export class ParameterHeaders {
  readonly #known = new WeakMap<Definition, readonly HeaderParameter[]>()

  /** @throws RpcError -32020 */
  check(tool: Definition, args: Readonly<Record<string, unknown>>, { headers, mayBeMissing }: Repeated): void {
    if (headers === undefined) return
    for (const { path, header } of this.#of(tool)) {
      const sent = headers.get(header.toLowerCase())
      if (sent === undefined && mayBeMissing) continue
      const value = repeatedValue(args, path)
      if (value === (sent === undefined ? undefined : decodedField(sent))) continue
      const what = sent === undefined ? 'is missing' : 'does not say what the argument says'
      throw new RpcError(RPC_CODE.headerMismatch, `The header Mcp-Param-${header} ${what}`, {
        code: 'REQUEST_INVALID',
        remedy: `Send the argument ${path.join('.')} in it as well, or neither of them`,
      })
    }
  }

  #of(tool: Definition): readonly HeaderParameter[] {
    const known = this.#known.get(tool) ?? headerParametersIn(tool.inputSchema)
    this.#known.set(tool, known)
    return known
  }
}
