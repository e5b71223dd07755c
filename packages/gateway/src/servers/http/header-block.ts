const UNSAFE_VALUE = /[^\t\x20-\x7e]/
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Headers that say how the message itself travels: not for callers to set. */
const FRAMING = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'upgrade', 'trailer'])

/** The headers of a request, ready to be written. Made once where many requests have the same. */
export class HeaderBlock {
  /** Names in lower case. */
  readonly fields: Readonly<Record<string, string>>
  /** Whether they are of the kind that can be written as they are. */
  readonly isPlain: boolean
  /** As they go over the wire; only where they are plain. */
  readonly lines: string

  constructor(fields: Readonly<Record<string, string>>) {
    const entries = Object.entries(fields)
    this.fields = fields
    this.isPlain = entries.every(([name, value]) => NAME.test(name) && !FRAMING.has(name) && !UNSAFE_VALUE.test(value))
    this.lines = entries.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  }

  /** With more fields, which come before those of the same name. */
  with(more: Readonly<Record<string, string>>): HeaderBlock {
    return new HeaderBlock({ ...this.fields, ...more })
  }
}
