import { type ConfigProblem, placeOf } from '@tooldex/contract'
import { type ErrorDetails, GatewayError, type GatewayErrorCode } from '../../errors.ts'

type Told = readonly { readonly path: string; readonly message: string }[]

/** A refusal that is about fields of the request: forms say it beside them. */
export class FieldRefusal extends GatewayError {
  readonly problems: Told

  constructor(code: GatewayErrorCode, details: ErrorDetails, problems: Told) {
    super(code, details)
    this.problems = problems
  }
}

/** A request with mistakes, all of them told at once. */
export class InvalidRequest extends FieldRefusal {
  constructor(problems: readonly ConfigProblem[]) {
    const told = problems.map(({ path, message }) => ({ path: placeOf(path), message }))
    const [first] = told
    const more = told.length > 1 ? ` (and ${told.length - 1} more)` : ''
    const reason =
      first === undefined ? 'it is not valid' : `${first.path === '' ? '' : `${first.path} `}${first.message}${more}`
    super('REQUEST_INVALID', { reason }, told)
  }
}

/** One mistake. */
export function invalidField(field: string, message: string): InvalidRequest {
  return new InvalidRequest([{ path: field === '' ? [] : [field], message }])
}

/** What is looked up for a field of the request: where it is refused, the field is named. */
export function atField<Value>(field: string, lookUp: () => Value): Value {
  try {
    return lookUp()
  } catch (error) {
    if (!(error instanceof GatewayError) || error instanceof FieldRefusal) throw error
    const { code, details, message } = error
    throw new FieldRefusal(code, details, [{ path: field, message: String(details['reason'] ?? message) }])
  }
}
