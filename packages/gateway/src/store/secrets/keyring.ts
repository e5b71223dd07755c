import { createHash, randomBytes, scryptSync } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { GatewayError } from '../../errors.ts'

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

/** Keys in a file that only its owner may read, one per line, the one in use first. */
export class KeyFile {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** None while there is no file. */
  read(): readonly SecretKey[] {
    const lines = readText(this.path)
      .split('\n')
      .map((line) => line.trim())
    return lines.filter((line) => line !== '' && !line.startsWith('#')).map(parseSecretKey)
  }

  /** Writes the first key. Somebody else's that came first stays. */
  create(key: SecretKey): void {
    const temporary = this.#write([key])
    try {
      // Unlike a renaming, this fails where a file is already.
      linkSync(temporary, this.path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(temporary, { force: true })
    }
  }

  /** Replaces the file, whole or not at all. */
  replace(keys: readonly SecretKey[]): void {
    renameSync(this.#write(keys), this.path)
  }

  #write(keys: readonly SecretKey[]): string {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 })
    const temporary = `${this.path}.${process.pid}.tmp`
    const file = openSync(temporary, 'w', 0o600)
    try {
      writeSync(file, `${keys.map(secretKeyText).join('\n')}\n`)
      // A secret that was encrypted is worth nothing without its key: the key is on the disk first.
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    return temporary
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

/** A key for AES-256, known by what can be derived from it. */
interface SecretKey {
  /** Says which key it is and nothing about it. */
  readonly id: string
  readonly bytes: Buffer
}

const KEY_BYTES = 32
const LEAST_CHARACTERS = 16

/** A key from nowhere. */
function newSecretKey(): SecretKey {
  return keyOf(randomBytes(KEY_BYTES))
}

/** 32 bytes in hex or base64 are the key; of any other text it is derived. */
function parseSecretKey(text: string): SecretKey {
  const given = text.trim()
  if (/^[0-9a-f]{64}$/i.test(given)) return keyOf(Buffer.from(given, 'hex'))
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(given)) return keyOf(Buffer.from(given, 'base64url'))
  if (given.length < LEAST_CHARACTERS) {
    throw new GatewayError('SECRET_KEY_WRONG', {
      reason: `a key has fewer than ${LEAST_CHARACTERS} characters (a comma separates keys)`,
      remedy: 'Take 32 random bytes, for example from `openssl rand -hex 32`.',
    })
  }
  return keyOf(scryptSync(given, 'tooldex secret key', KEY_BYTES))
}

/** The key as text, as `parseSecretKey` takes it. */
function secretKeyText({ bytes }: SecretKey): string {
  return bytes.toString('base64url')
}

function keyOf(bytes: Buffer): SecretKey {
  const id = createHash('sha256').update('tooldex key id\0').update(bytes).digest('hex').slice(0, 12)
  return { id, bytes }
}
