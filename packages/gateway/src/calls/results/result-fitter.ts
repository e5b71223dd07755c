import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { withoutRaw } from '../../servers/protocol/raw-json.ts'
import type { RawResult } from '../../servers/server.ts'
import { jsonSize } from '../../servers/protocol/json-size.ts'
import { type ContentBlock, contentBlocks, membersOf } from './content-blocks.ts'
import type { KeptResult } from './kept-result.ts'
import { jsonSource, textSource, type TextSource } from './raw-text.ts'
import type { ResultOwner, ResultStore } from './result-store.ts'

/** Current tokenisers need about one token for four bytes of text. */
const BYTES_PER_TOKEN = 4
/** What models pay for one image, at most: services reduce larger ones. */
const IMAGE_TOKENS = 1_600
/** Services for models refuse larger images. */
const LARGEST_IMAGE = 5_000_000
/** The beginning of a text that is too long: short, because what is wanted is rarely at the beginning. */
const FIRST_PAGE_BYTES = 4_000
/** A page may be half as long again, where a cut is early and the next one late. */
const PAGE_SHARE = 1 / 1.5
/** A text with more control characters and replaced bytes than this is no text. */
const BINARY_SHARE = 0.1
const BINARY_PREFIX = 2_000

/** What decides how a result is cut. */
export interface FitBasis {
  /** In tokens. */
  readonly budget: number
  readonly owner: ResultOwner
  readonly toolKey: string
  /** How the caller writes a call that reads on, with these arguments. */
  readonly readCall: (args: Readonly<Record<string, unknown>>) => string
}

/** A block of the result, as far as fitting it needs. */
interface Measured {
  readonly block: ContentBlock
  readonly number: number
  /** Of a text block, or of a resource with text. */
  readonly text?: TextSource
  /** Of all others. */
  readonly tokens: number
  readonly isTooLarge: boolean
}

/** Cuts results that are larger than the budget of their endpoint, and keeps the rest to be read on. */
export class ResultFitter {
  readonly #store: ResultStore

  constructor(store: ResultStore) {
    this.#store = store
  }

  /** The same result if it fits. */
  async fit(result: RawResult, basis: FitBasis): Promise<RawResult> {
    const most = basis.budget * BYTES_PER_TOKEN
    const { content, structuredContent, ...others } = result
    if ((result['resultType'] ?? 'complete') !== 'complete') return result
    if (jsonSize({ content, structuredContent }, most) <= most) return result
    const blocks = await measured(content)
    const textBytes = blocks.reduce((sum, { text }) => sum + (text?.bytes ?? 0), 0)
    const isTextOver = textBytes > most || jsonSize(structuredContent ?? null, most) > most
    const mediaTokens = blocks.reduce((sum, { tokens }) => sum + tokens, 0)
    if (!isTextOver && mediaTokens <= basis.budget && !blocks.some(({ isTooLarge }) => isTooLarge)) return result
    const left = leftOut(blocks, basis.budget)
    const texts = await textsOf(blocks, structuredContent)
    const bytes = texts.reduce((sum, text) => sum + text.bytes, 0)
    const firstPageBytes = isTextOver ? Math.min(FIRST_PAGE_BYTES, most) : Math.max(bytes * 2, most)
    const kept = await this.#store.keep({
      owner: basis.owner,
      toolKey: basis.toolKey,
      texts,
      blocks: left,
      bytes: bytes + left.reduce((sum, { block }) => sum + jsonSize(block), 0),
      firstPageBytes,
      pageBytes: Math.floor(most * PAGE_SHARE),
    })
    const shown = kept === undefined ? beginningOf(texts, firstPageBytes) : await firstPageOf(kept)
    const replaced = new Set(left)
    const pass = (each: Measured): ContentBlock => (replaced.has(each) ? linkTo(each, kept) : withoutRaw(each.block))
    const media = blocks.filter(({ text }) => text === undefined).map(pass)
    const note = kept === undefined ? this.#unkeptNote(bytes, left.length) : this.#note(kept, shown, left, basis)
    return {
      ...others,
      content: [
        ...(isTextOver ? [...textBlock(shown.text), ...media] : blocks.map(pass)),
        { type: 'text', text: note },
      ],
    }
  }

  #note(kept: KeptResult, shown: Shown, left: readonly Measured[], { readCall }: FitBasis): string {
    const { id, pages } = kept
    const sentences = [
      ...(pages > 1 ? [cutSentence(kept, shown)] : []),
      ...(left.length > 0
        ? [`${left.length === 1 ? 'One block is' : `${left.length} blocks are`} replaced by a link.`]
        : []),
    ]
    const ways = [
      ...(pages > 1 ? [`go on with ${readCall({ id, page: shown.isBinary ? 1 : 2 })}`] : []),
      ...(pages > 1 && kept.lines > 1
        ? [`read from a line with {"id":"${id}","line":${Math.ceil(kept.lines / 2)}}`]
        : []),
      ...(pages > 1 ? [`find a text with {"id":"${id}","find":"…"}`] : []),
      ...left.slice(0, 3).map(({ number }) => `get block ${number} with ${readCall({ id, block: number })}`),
    ]
    return `[${[...sentences, `To read the rest, ${ways.join('; ')}.`, `It is kept for ${this.#store.keptMinutes} minutes.`].join(' ')}]`
  }

  #unkeptNote(bytes: number, left: number): string {
    const about = left > 0 ? `, and ${left} ${left === 1 ? 'block is' : 'blocks are'} left out` : ''
    return `[This result has ${megabytes(bytes)} of text; only the beginning is shown${about}. It is too large to be kept: ask the tool for less.]`
  }
}

interface Shown {
  readonly text: string
  readonly lastLine?: number
  readonly isBinary: boolean
}

function cutSentence(kept: KeptResult, { lastLine, isBinary }: Shown): string {
  const tokens = Math.ceil(kept.size / BYTES_PER_TOKEN).toLocaleString('en')
  const size = `${megabytes(kept.size)}, about ${tokens} tokens, ${kept.pages.toLocaleString('en')} pages`
  if (isBinary) return `This result looks like binary data and is not shown (${size}).`
  const lines = kept.lines > 1 && lastLine !== undefined
  const part = lines ? `lines 1 to ${lastLine} of ${kept.lines.toLocaleString('en')}` : 'the beginning'
  return `This result is cut: it shows ${part} (${size}).`
}

async function firstPageOf(kept: KeptResult): Promise<Shown> {
  const page = await kept.page(1)
  const text = await kept.text(page)
  if (page.end < kept.size && looksBinary(text)) return { text: '', isBinary: true }
  const lastLine = page.end === 0 ? 1 : await kept.lineAt(page.end - 1)
  if (page.end === kept.size) return { text, lastLine, isBinary: false }
  const closing = await kept.closing(page)
  return { text: closing === '' ? text : `${text.replace(/[\s,]+$/u, '')}${closing}`, lastLine, isBinary: false }
}

function beginningOf([first]: readonly TextSource[], bytes: number): Shown {
  const [slice = Buffer.alloc(0)] = first?.slices() ?? []
  const text = slice.toString('utf8', 0, bytes).replace(/�+$/u, '')
  return looksBinary(text) ? { text: '', isBinary: true } : { text, isBinary: false }
}

function looksBinary(text: string): boolean {
  const first = text.slice(0, BINARY_PREFIX)
  // oxlint-disable-next-line no-control-regex -- control characters are what it counts
  const odd = first.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/gu)?.length ?? 0
  return odd > first.length * BINARY_SHARE
}

const textBlock = (text: string): readonly ContentBlock[] => (text === '' ? [] : [{ type: 'text', text }])

async function measured(content: unknown): Promise<readonly Measured[]> {
  const blocks: Measured[] = []
  for (const [at, block] of (await contentBlocks(content)).entries()) {
    blocks.push({ block, number: at + 1, ...(await weigh(block)) })
  }
  return blocks
}

async function weigh(block: ContentBlock): Promise<Omit<Measured, 'block' | 'number'>> {
  const free = { tokens: 0, isTooLarge: false }
  const holder = block['type'] === 'resource' ? await membersOf(block['resource']) : block
  const text = block['type'] === 'text' || block['type'] === 'resource' ? textSource(holder['text']) : undefined
  if (text !== undefined) return { text, ...free }
  const bytes = jsonSize(block)
  if (block['type'] === 'image') return { tokens: IMAGE_TOKENS, isTooLarge: bytes > LARGEST_IMAGE }
  return { tokens: Math.ceil(bytes / BYTES_PER_TOKEN), isTooLarge: false }
}

/** The blocks that are replaced by links: those that are too large, and those beyond the budget. */
function leftOut(blocks: readonly Measured[], budget: number): readonly Measured[] {
  let left = budget
  return blocks.filter(({ text, tokens, isTooLarge }) => {
    if (text !== undefined) return false
    if (!isTooLarge && tokens <= left) {
      left -= tokens
      return false
    }
    return true
  })
}

/** The texts of the blocks, and the structured content where they do not repeat it. */
async function textsOf(blocks: readonly Measured[], structured: unknown): Promise<readonly TextSource[]> {
  const texts = blocks.map(({ text }) => text).filter((text) => text !== undefined)
  if (structured === undefined) return texts
  const json = jsonSource(structured)
  const [only] = texts
  const isRepeated = texts.length === 1 && only !== undefined && (await digestOf(only)) === (await digestOf(json))
  return isRepeated ? texts : [...texts, json]
}

/** Of the bytes without blanks: servers indent the JSON of their texts as they like. */
async function digestOf(text: TextSource): Promise<string> {
  const hash = createHash('sha256')
  for (const slice of text.slices()) {
    hash.update(withoutBlanks(slice))
    await setImmediate()
  }
  return hash.digest('hex')
}

function withoutBlanks(bytes: Buffer): Buffer {
  const kept = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (const byte of bytes) if (byte > 0x20) kept[length++] = byte
  return kept.subarray(0, length)
}

/** The scheme of the links to blocks of kept results. */
export const RESULT_URI = 'tooldex://results/'

function linkTo({ block, number }: Measured, kept: KeptResult | undefined): ContentBlock {
  const { type, mimeType } = block
  const about = `${String(type)}, ${megabytes(jsonSize(block))}`
  if (kept === undefined) return { type: 'text', text: `[Block ${number} (${about}) is left out.]` }
  return {
    type: 'resource_link',
    uri: `${RESULT_URI}${kept.id}/${number}`,
    name: `block ${number}`,
    description: `Left out of the result: ${about}`,
    ...(typeof mimeType === 'string' && { mimeType }),
  }
}

function megabytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
