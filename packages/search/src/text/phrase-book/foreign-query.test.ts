import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldWidth } from '../normalise.ts'
import { type ForeignQuery, inEnglish, readForeignQuery, shareRead } from './foreign-query.ts'

const english = (text: string): string | undefined => {
  const foreign = readForeignQuery(text)
  return foreign === undefined ? undefined : inEnglish(foreign)
}

const rowsOf = (file: string): readonly { kind: string; query: string | readonly string[] }[] =>
  readFileSync(new URL(`../../../eval/${file}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Any code points, halves of pairs included. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 8 })
  .map((codes) => String.fromCodePoint(...codes))

/** Where each part stands, after the one before it; -1 for one that does not. */
const placesOf = ({ parts }: ForeignQuery, text: string): number[] => {
  let end = 0
  return parts.map((part) => {
    const place = text.indexOf(part.text, end)
    end = place + part.text.length
    return place
  })
}

describe('readForeignQuery', () => {
  it.each([
    ['Rechnung für einen Kunden schreiben', 'german', 'invoice customer write'],
    ['¿Qué tiempo hará mañana?', 'spanish', 'weather tomorrow'],
    ["redémarrer le service d'impression", 'french', 'restart service print'],
    ['baixar o anexo', 'portuguese', 'download attachment'],
    ['ファイルを削除', 'japanese', 'file delete'],
    ['ﾌｧｲﾙを削除', 'japanese', 'file delete'],
  ] as const)('reads %s', (text, language, meaning) => {
    expect(readForeignQuery(text)?.language).toBe(language)
    expect(english(text)).toBe(meaning)
  })

  it('keeps names, and English words among the others', () => {
    expect(english('crear un issue en GitHub')).toBe('create issue GitHub')
    expect(english('Slackにメッセージを送信')).toBe('Slack message send')
    expect(english('Hotel in Wien buchen')).toBe('hotel Wien book')
  })

  it('takes a lone word for foreign only if English does not have it', () => {
    expect(english('factura')).toBe('invoice')
    for (const word of ['action', 'table', 'case', 'red', 'die', 'comment', 'sendEmail', 'transcri*', 'qwen coder']) {
      expect([word, english(word)]).toEqual([word, undefined])
    }
  })

  it('takes a query for English where more words of it are', () => {
    expect(english('Datei')).toBe('file')
    expect(english('spreadsheet folder weather Datei')).toBeUndefined()
  })

  it('leaves languages alone that it has no book for', () => {
    expect(english('znajdź plik na dysku')).toBeUndefined()
    expect(english('найти файл')).toBeUndefined()
    expect(english('')).toBeUndefined()
  })

  it('takes no English query of the golden set for anything else', () => {
    const asked = rowsOf('golden/queries.jsonl').flatMap(({ query }) => query)
    const inLatin = asked.filter((query) => !/[\u3040-\u30ff\u4e00-\u9fff]/.test(query.normalize('NFKC')))
    expect(inLatin.length).toBeGreaterThan(200)
    expect(inLatin.filter((query) => readForeignQuery(query) !== undefined)).toEqual([])
  })

  it('tells the language of every query of the foreign set', () => {
    const wrong = rowsOf('golden/foreign/queries.jsonl').filter(
      ({ kind, query }) => readForeignQuery(String(query))?.language !== kind.split('-')[0],
    )
    expect(wrong).toEqual([])
  })

  it('reads any text without a throw, its parts in order, and answers the same again', () => {
    const known = ['Datei', 'löschen', 'de', 'la', 'base', 'datos', '削除', 'ファイル', 'を', 'the', 'create_x']
    const word = fc.oneof(fc.constantFrom(...known), anyText)
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const query = words.join(' ')
        const foreign = readForeignQuery(query)
        expect(JSON.stringify(readForeignQuery(query))).toBe(JSON.stringify(foreign))
        const places = foreign === undefined ? [] : placesOf(foreign, foldWidth(query))
        expect(places.every((place) => place >= 0)).toBe(true)
      }),
    )
  })

  it('says how much of a query it could read', () => {
    const share = (text: string): number => shareRead(readForeignQuery(text) as ForeignQuery)
    expect(share('ファイルを削除')).toBe(1)
    expect(share('鯨を削除')).toBeCloseTo(2 / 3)
    expect(share('鯨')).toBe(0)
    expect(share('を')).toBe(1)
    expect(share('die Datei xyz löschen')).toBeCloseTo(12 / 15)
  })

  it('reads no more than the beginning of a very long text', () => {
    const foreign = readForeignQuery('Datei löschen '.repeat(700))
    expect(foreign?.parts.length).toBeLessThan(140)
    expect(foreign?.parts.at(-1)?.kind).toBe('other')
  })
})
