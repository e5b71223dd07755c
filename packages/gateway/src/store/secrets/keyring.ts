import { createHash, createHmac, randomBytes, scryptSync } from 'node:crypto'
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

/** The available keys: those of the environment and those of the key file. */
export class Keyring {
  readonly #given: readonly SecretKey[]
  readonly #file: KeyFile
  #fromFile: readonly SecretKey[]

  /** @param given keys separated by commas: the first one encrypts, all decrypt. Without them, the first key of the file encrypts. */
  constructor(file: KeyFile, given?: string) {
    this.#file = file
    this.#given = (given ?? '')
      .split(',')
      .filter((text) => text.trim() !== '')
      .map(parseSecretKey)
    this.#fromFile = file.read()
  }

  /** The key that encrypts; created on first use. */
  current(): SecretKey {
    const key = this.#given[0] ?? this.#fromFile[0]
    if (key !== undefined) return key
    this.#file.create(newSecretKey())
    this.#fromFile = this.#file.read()
    const [made] = this.#fromFile
    if (made === undefined) {
      const reason = `${this.#file.path} has no key`
      throw new GatewayError('SECRET_KEY_WRONG', {
        reason,
        remedy: 'Restore the key, or remove the file to start with a new one.',
      })
    }
    return made
  }

  /** A key for one other purpose than encryption. It changes with the current key. */
  derive(purpose: string): Buffer {
    return derived(this.current(), purpose)
  }

  /** The same for all keys, the current one first. */
  deriveAll(purpose: string): readonly Buffer[] {
    const keys = [this.current(), ...this.#given, ...this.#fromFile]
    return [...new Set(keys)].map((key) => derived(key, purpose))
  }

  /** Finds a key by its id. Reads the file again, because another gateway may have added the key. */
  find(id: string): SecretKey | undefined {
    const known = this.#among(id)
    if (known !== undefined) return known
    this.#fromFile = this.#file.read()
    return this.#among(id)
  }

  /** Creates a new current key, unless the environment sets the keys. */
  renew(): void {
    if (this.#given.length > 0) return
    // Old keys stay for backups and for secrets that are not encrypted again yet.
    this.#file.replace([newSecretKey(), ...this.#file.read()])
    this.#fromFile = this.#file.read()
  }

  /** The variable or file that has the keys. */
  get place(): string {
    return this.#given.length > 0 ? 'TOOLDEX_SECRET_KEY' : this.#file.path
  }

  #among(id: string): SecretKey | undefined {
    return [...this.#given, ...this.#fromFile].find((key) => key.id === id)
  }
}

/** The key file: one key per line, the current one first; readable by its owner only. */
export class KeyFile {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** The keys of the file; none if there is no file. A damaged line counts as a lost key: the gateway starts all the same. */
  read(): readonly SecretKey[] {
    const lines = readText(this.path)
      .split('\n')
      .map((line) => line.trim())
    return lines.filter((line) => line.length >= LEAST_CHARACTERS && !line.startsWith('#')).map(parseSecretKey)
  }

  /** Writes the first key, unless another process was faster. */
  create(key: SecretKey): void {
    const temporary = this.#write([key])
    try {
      // Unlike a rename, a link fails if the file exists.
      linkSync(temporary, this.path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(temporary, { force: true })
    }
  }

  /** Replaces the file atomically. */
  replace(keys: readonly SecretKey[]): void {
    renameSync(this.#write(keys), this.path)
  }

  #write(keys: readonly SecretKey[]): string {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 })
    const temporary = `${this.path}.${process.pid}.tmp`
    const file = openSync(temporary, 'w', 0o600)
    try {
      writeSync(file, `${keys.map(secretKeyText).join('\n')}\n`)
      // The key must be on disk before the first secret that it encrypts.
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

function derived({ bytes }: SecretKey, purpose: string): Buffer {
  return createHmac('sha256', bytes).update(`tooldex ${purpose}`).digest()
}

/** A key for AES-256. */
interface SecretKey {
  /** A hash that identifies the key without revealing it. */
  readonly id: string
  readonly bytes: Buffer
}

const KEY_BYTES = 32
const LEAST_CHARACTERS = 16

/** Creates a random key. */
function newSecretKey(): SecretKey {
  return keyOf(randomBytes(KEY_BYTES))
}

/** Parses a key: 32 bytes in hex or base64, or a passphrase that the key is derived from. */
function parseSecretKey(text: string): SecretKey {
  const given = text.trim()
  if (/^[0-9a-f]{64}$/i.test(given)) return keyOf(Buffer.from(given, 'hex'))
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(given)) return keyOf(Buffer.from(given, 'base64url'))
  if (given.length < LEAST_CHARACTERS) {
    throw new GatewayError('SECRET_KEY_WRONG', {
      reason: `a key must have at least ${LEAST_CHARACTERS} characters (a comma separates keys)`,
      remedy: 'Use 32 random bytes, for example from `openssl rand -hex 32`.',
    })
  }
  return keyOf(scryptSync(given, 'tooldex secret key', KEY_BYTES))
}

/** The key as text; `parseSecretKey` reads it. */
function secretKeyText({ bytes }: SecretKey): string {
  return bytes.toString('base64url')
}

function keyOf(bytes: Buffer): SecretKey {
  const id = createHash('sha256').update('tooldex key id\0').update(bytes).digest('hex').slice(0, 12)
  return { id, bytes }
}
