import { GatewayError } from '../../errors.ts'
import type { KeyFile } from './key-file.ts'
import { newSecretKey, parseSecretKey, type SecretKey } from './secret-key.ts'

/** The keys at hand: those that were handed in, and those of the file. */
export class Keyring {
  readonly #given: readonly SecretKey[]
  readonly #file: KeyFile
  #fromFile: readonly SecretKey[]

  /** @param given keys separated by commas; the first one encrypts, each decrypts. Without, the file's first one encrypts. */
  constructor(file: KeyFile, given?: string) {
    this.#file = file
    this.#given = (given ?? '')
      .split(',')
      .filter((text) => text.trim() !== '')
      .map(parseSecretKey)
    this.#fromFile = file.read()
  }

  /** The key to encrypt with; made when first needed. */
  current(): SecretKey {
    const key = this.#given[0] ?? this.#fromFile[0]
    if (key !== undefined) return key
    this.#file.create(newSecretKey())
    this.#fromFile = this.#file.read()
    const [made] = this.#fromFile
    if (made === undefined) {
      const reason = `${this.#file.path} has no key`
      throw new GatewayError('SECRET_KEY_WRONG', { reason, remedy: 'Bring the key back, or remove the empty file.' })
    }
    return made
  }

  /** The key of that id, if it is at hand. Another gateway may have put a new one into the file. */
  find(id: string): SecretKey | undefined {
    const known = this.#among(id)
    if (known !== undefined) return known
    this.#fromFile = this.#file.read()
    return this.#among(id)
  }

  /** From now on a new key encrypts, unless keys are handed in: whoever does that chooses which comes first. */
  renew(): void {
    if (this.#given.length > 0) return
    // Old keys stay: backups need them, and what is encrypted with them until that is done.
    this.#file.replace([newSecretKey(), ...this.#file.read()])
    this.#fromFile = this.#file.read()
  }

  /** Where to put a key back. */
  get place(): string {
    return this.#given.length > 0 ? 'TOOLDEX_SECRET_KEY' : this.#file.path
  }

  #among(id: string): SecretKey | undefined {
    return [...this.#given, ...this.#fromFile].find((key) => key.id === id)
  }
}
