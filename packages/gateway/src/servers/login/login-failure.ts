/** Why a login came to nothing, to be read after the server's name. The text is ours and has no secrets. */
export class LoginFailure extends Error {
  override readonly name = 'LoginFailure'
}
