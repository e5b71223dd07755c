import { type ConfigProblem, placeOf } from '@tooldex/contract'
import { type ErrorDetails, GatewayError, type GatewayErrorCode } from '../../errors.ts'

type FieldProblems = readonly { readonly path: string; readonly message: string }[]

/** An error about fields of the request, which forms show beside the field. */
export class FieldRefusal extends GatewayError {
  readonly problems: FieldProblems

  constructor(code: GatewayErrorCode, details: ErrorDetails, problems: FieldProblems) {
    super(code, details)
    this.problems = problems
  }
}

/** An invalid request, with all of its problems. */
export class InvalidRequest extends FieldRefusal {
  constructor(problems: readonly ConfigProblem[]) {
    const shown = problems.map(({ path, message }) => ({ path: placeOf(path), message }))
    const [first] = shown
    const more = shown.length > 1 ? ` (and ${shown.length - 1} more)` : ''
    const reason =
      first === undefined
        ? 'the request is not valid'
        : `${first.path === '' ? '' : `${first.path} `}${first.message}${more}`
    super('REQUEST_INVALID', { reason }, shown)
  }
}

/** An invalid request with one problem. */
export function invalidField(field: string, message: string): InvalidRequest {
  return new InvalidRequest([{ path: field === '' ? [] : [field], message }])
}

/** Runs a lookup for a field of the request and adds the field to the error that it throws. */
export function atField<Value>(field: string, lookUp: () => Value): Value {
  try {
    return lookUp()
  } catch (error) {
    if (!(error instanceof GatewayError) || error instanceof FieldRefusal) throw error
    const { code, details, message } = error
    throw new FieldRefusal(code, details, [{ path: field, message: String(details['reason'] ?? message) }])
  }
}
