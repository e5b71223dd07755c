import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { QueryReading } from '@tooldex/search'
import { foldWidth } from '@tooldex/search/text'
import otherLanguages from './fixtures/other-languages.json' with { type: 'json' }
import { Dictionary, foldWord } from './dictionary.ts'
import { LANGUAGE_DATA, type LanguageData, type LanguageTable, type SpacedLanguage, wordsIn } from './language-data.ts'
import { createQueryReader } from './query-reader.ts'

const reader = createQueryReader()
const english = (text: string): string | undefined => reader.read(text)?.english

const rowsOf = (file: string): readonly { kind: string; query: string | readonly string[] }[] =>
  readFileSync(new URL(`../../search/eval/${file}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Any code points, unpaired surrogates included. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 8 })
  .map((codes) => String.fromCodePoint(...codes))

/** The position of each part after the one before it; -1 for a part that is missing. */
const placesOf = ({ parts }: QueryReading, text: string): number[] => {
  let end = 0
  return parts.map((part) => {
    const place = text.indexOf(part.text, end)
    end = place + part.text.length
    return place
  })
}

describe('a query reader', () => {
  it.each([
    ['Rechnung für einen Kunden schreiben', 'german', 'invoice customer write'],
    ['¿Qué tiempo hará mañana?', 'spanish', 'weather tomorrow'],
    ["redémarrer le service d'impression", 'french', 'restart service print'],
    ['baixar o anexo', 'portuguese', 'download attachment'],
    ['ファイルを削除', 'japanese', 'file delete'],
    ['ﾌｧｲﾙを削除', 'japanese', 'file delete'],
  ] as const)('reads %s', (text, language, meaning) => {
    expect(reader.read(text)?.language).toBe(language)
    expect(english(text)).toBe(meaning)
  })

  it('keeps names, and English words among the others', () => {
    expect(english('crear un issue en GitHub')).toBe('create issue GitHub')
    expect(english('Slackにメッセージを送信')).toBe('Slack message send')
    expect(english('Hotel in Wien buchen')).toBe('hotel Wien book')
  })

  it('reads a lone word only if English does not have it', () => {
    expect(english('factura')).toBe('invoice')
    for (const word of ['action', 'table', 'case', 'red', 'die', 'comment', 'sendEmail', 'transcri*', 'qwen coder']) {
      expect([word, english(word)]).toEqual([word, undefined])
    }
  })

  it('leaves a query alone that has more English words', () => {
    expect(english('Datei')).toBe('file')
    expect(english('spreadsheet folder weather Datei')).toBeUndefined()
  })

  it('reads no English query of the golden set', () => {
    const asked = rowsOf('golden/queries.jsonl').flatMap(({ query }) => query)
    const inLatin = asked.filter((query) => !/[\u3040-\u30ff\u4e00-\u9fff]/.test(query.normalize('NFKC')))
    expect(inLatin.length).toBeGreaterThan(200)
    expect(inLatin.filter((query) => reader.read(query) !== undefined)).toEqual([])
  })

  it('identifies the language of every query of the foreign set', () => {
    const wrong = rowsOf('golden/foreign/queries.jsonl').filter(
      ({ kind, query }) => reader.read(String(query))?.language !== kind.split('-')[0],
    )
    expect(wrong).toEqual([])
  })

  it('never throws, keeps the order of the parts, and answers the same again', () => {
    const known = ['Datei', 'löschen', 'de', 'la', 'base', 'datos', '削除', 'ファイル', 'を', 'the', 'create_x']
    const word = fc.oneof(fc.constantFrom(...known), anyText)
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const query = words.join(' ')
        const foreign = reader.read(query)
        expect(JSON.stringify(reader.read(query))).toBe(JSON.stringify(foreign))
        const places = foreign === undefined ? [] : placesOf(foreign, foldWidth(query))
        expect(places.every((place) => place >= 0)).toBe(true)
      }),
    )
  })

  it('measures how much of a query it could read', () => {
    const share = (text: string): number => (reader.read(text) as QueryReading).shareRead
    expect(share('ファイルを削除')).toBe(1)
    expect(share('鯨を削除')).toBeCloseTo(2 / 3)
    expect(share('鯨')).toBe(0)
    expect(share('を')).toBe(1)
    expect(share('die Datei xyz löschen')).toBeCloseTo(12 / 15)
  })

  it('reads no more than the beginning of a very long text', () => {
    const foreign = reader.read('Datei löschen '.repeat(700))
    expect(foreign?.parts.length).toBeLessThan(140)
    expect(foreign?.parts.at(-1)?.kind).toBe('other')
  })
})

describe('a query in a language without a dictionary', () => {
  const queries = Object.entries(otherLanguages).flatMap(([language, all]) => all.map((query) => [language, query]))

  it.each(queries)('is left alone: %s, %s', (_language, query) => {
    expect(reader.read(query ?? '')).toBeUndefined()
  })

  it('is left alone for every combination of its words with one that no dictionary has', () => {
    const tables = Object.entries(LANGUAGE_DATA.spaced)
    const dictionaries = tables.map(([language, table]) => new Dictionary(language as SpacedLanguage, table))
    const functionWords = new Set(tables.flatMap(([, table]) => wordsIn(table.functionWords).map(foldWord)))
    const isOwn = (word: string): boolean =>
      !functionWords.has(word) && dictionaries.every((one) => one.find([word], 0) === undefined)
    const query = fc.constantFrom(...Object.values(LANGUAGE_DATA.neighbours.words)).chain((lines) => {
      const words = wordsIn(lines)
      const own = fc.constantFrom(...words.filter(isOwn))
      return fc.tuple(fc.array(fc.constantFrom(...words), { maxLength: 12 }), own, fc.nat(12))
    })
    fc.assert(
      fc.property(query, ([words, own, at]) => {
        expect(reader.read(words.toSpliced(at, 0, own).join(' '))).toBeUndefined()
      }),
      { numRuns: 2_000 },
    )
  })

  it('is left alone where a dictionary knows few of its words', () => {
    const unknown = fc.array(fc.stringMatching(/^[bdfg]ux[aeiou]{2}q$/), { minLength: 4, maxLength: 8 })
    fc.assert(
      fc.property(unknown, fc.nat(8), (words, at) => {
        expect(reader.read(words.toSpliced(at, 0, 'archivo', 'borrar').join(' '))).toBeUndefined()
      }),
    )
  })

  it('does not keep a name in such a language from being read', () => {
    expect(reader.read('einen Flug nach Łódź buchen')?.language).toBe('german')
    expect(reader.read('enviar un mensaje a Jørgen')?.language).toBe('spanish')
  })
})

describe('an English query', () => {
  /** Tables whose entries fail when they are read. */
  const closed = ({ functionWords }: LanguageTable): LanguageTable => ({
    functionWords,
    get entries(): never {
      throw new Error('a dictionary was opened')
    },
  })
  const { german, french, spanish, portuguese } = LANGUAGE_DATA.spaced
  const data: LanguageData = {
    ...LANGUAGE_DATA,
    spaced: {
      german: closed(german),
      french: closed(french),
      spanish: closed(spanish),
      portuguese: closed(portuguese),
    },
    japanese: closed(LANGUAGE_DATA.japanese),
  }
  const closedReader = createQueryReader(data)

  it('opens no dictionary', () => {
    const sentences = rowsOf('golden/queries.jsonl').filter(({ kind }) =>
      ['natural', 'indirect', 'long', 'multi'].includes(kind),
    )
    const asked = sentences.flatMap(({ query }) => query).filter((query) => /[a-z]/.test(query))
    expect(asked.length).toBeGreaterThan(100)
    const opens = (query: string): boolean => {
      try {
        return closedReader.read(query) !== undefined
      } catch {
        return true
      }
    }
    expect(asked.filter(opens)).toEqual([])
    expect(() => closedReader.read('Datei löschen')).toThrow('a dictionary was opened')
    expect(() => closedReader.read('ファイルを削除')).toThrow('a dictionary was opened')
  })

  it('opens no dictionary, for every combination of tool words', () => {
    // `comment` is a function word of French.
    const words = wordsIn(LANGUAGE_DATA.english.toolWords).filter((word) => word !== 'comment')
    const word = fc.constantFrom(...words)
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (some) => {
        expect(closedReader.read(some.join(' '))).toBeUndefined()
        expect(closedReader.read(`show me the ${some.join(' ')}`)).toBeUndefined()
      }),
    )
  })
})
