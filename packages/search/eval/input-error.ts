/** A mistake in the arguments or the data. The message names the place and the remedy; no stack is shown. */
export class InputError extends Error {
  override readonly name = 'InputError'
}
