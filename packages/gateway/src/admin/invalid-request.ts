import { type ConfigProblem, placeOf } from '@tooldex/contract'
import { GatewayError } from '../errors.ts'

/** A request with mistakes, all of them told at once. */
export class InvalidRequest extends GatewayError {
  readonly problems: readonly { readonly path: string; readonly message: string }[]

  constructor(problems: readonly ConfigProblem[]) {
    const told = problems.map(({ path, message }) => ({ path: placeOf(path), message }))
    const [first] = told
    const more = told.length > 1 ? ` (and ${told.length - 1} more)` : ''
    super('REQUEST_INVALID', {
      reason:
        first === undefined ? 'it is not valid' : `${first.path === '' ? '' : `${first.path} `}${first.message}${more}`,
    })
    this.problems = told
  }
}

/** One mistake. */
export function invalidField(field: string, message: string): InvalidRequest {
  return new InvalidRequest([{ path: field === '' ? [] : [field], message }])
}
