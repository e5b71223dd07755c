/** The credentials that a server gets. */
export interface Credentials {
  /** The current value of the Authorization header, synchronously if it is known; absent without a login. */
  authorization(): string | undefined | Promise<string | undefined>
  /**
   * Called when the server answered 401.
   * @param used the value that it had got
   * @param challenge its WWW-Authenticate header
   * @returns the value for one more attempt; absent if a person has to log in first
   */
  refused(used: string | undefined, challenge: string): Promise<string | undefined>
}
