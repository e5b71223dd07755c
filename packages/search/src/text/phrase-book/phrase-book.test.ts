import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FRENCH } from './french.ts'
import { GERMAN } from './german.ts'
import { basesOf, openingsOf } from './inflections.ts'
import { JAPANESE } from './japanese.ts'
import { JapaneseBook } from './japanese-book.ts'
import { foldForeign, PhraseBook } from './phrase-book.ts'
import { PORTUGUESE } from './portuguese.ts'
import { SPANISH } from './spanish.ts'

const TABLES = { german: GERMAN, french: FRENCH, spanish: SPANISH, portuguese: PORTUGUESE }
type Spaced = keyof typeof TABLES

const meant = (language: Spaced, text: string): string | undefined => {
  const words = foldForeign(text).split(/[^\p{L}]+/u)
  const entry = new PhraseBook(TABLES[language]).find(words, 0)
  return entry?.meaning.map(([first]) => first).join(' ')
}

describe('PhraseBook', () => {
  it.each([
    ['german', 'Rechnungen', 'invoice'],
    ['german', 'lösche', 'delete'],
    ['german', 'loeschen', 'delete'],
    ['german', 'gesendet', 'send'],
    ['german', 'abzuschicken', 'send'],
    ['german', 'SCHLIESSEN', 'close'],
    ['french', 'supprimez', 'delete'],
    ['french', 'journaux', 'log'],
    ['french', 'modifiées', 'change'],
    ['spanish', 'envíame', 'send'],
    ['spanish', 'archivos', 'file'],
    ['spanish', 'creando', 'create'],
    ['portuguese', 'imagens', 'image'],
    ['portuguese', 'reuniões', 'meeting'],
    ['portuguese', 'envia', 'send'],
  ] as const)('knows an inflection: %s %s', (language, word, meaning) => {
    expect(meant(language, word)).toBe(meaning)
  })

  it('takes the longest phrase', () => {
    expect(meant('spanish', 'base de datos')).toBe('database')
    expect(meant('spanish', 'copias de seguridad')).toBe('backup')
    expect(meant('french', "captures d'écran")).toBe('screenshot')
    expect(meant('french', 'capture')).toBe('capture')
  })

  it('takes a German compound apart if it knows both parts', () => {
    expect(meant('german', 'Kundenrechnung')).toBe('customer invoice')
    expect(meant('german', 'Projektdateien')).toBe('project file')
    expect(meant('german', 'Zaubererrechnung')).toBeUndefined()
    expect(meant('spanish', 'clientefactura')).toBeUndefined()
  })

  it('finds nothing in anything else, however long', () => {
    expect(meant('german', 'xylophon')).toBeUndefined()
    expect(meant('german', 'datei'.repeat(100))).toBeUndefined()
    expect(new PhraseBook(GERMAN).find([], 3)).toBeUndefined()
  })

  it('rules nothing out by the first letters that an inflection may be of', () => {
    const word = fc.stringMatching(/^(?:ge|ab|zu|auf)?(?:zu|ge)?[a-z]{3,12}$/)
    fc.assert(
      fc.property(word, fc.constantFrom(...(Object.keys(TABLES) as Spaced[])), (said, language) => {
        const openings = openingsOf(said, language)
        for (const base of basesOf(said, language)) {
          expect(openings.some((opening) => base.startsWith(opening))).toBe(true)
        }
      }),
    )
  })
})

describe('JapaneseBook', () => {
  const book = new JapaneseBook(JAPANESE)
  const found = (text: string, at = 0) => {
    const run = book.find(text, at)
    return run === undefined ? undefined : [text.slice(at, at + run.length), run.meaning[0]?.[0]]
  }

  it('takes the longest word that stands at a place', () => {
    expect(found('請求書を作成')).toEqual(['請求書', 'invoice'])
    expect(found('請求書を作成', 4)).toEqual(['作成', 'create'])
    expect(found('会議室')).toEqual(['会議室', 'meeting'])
  })

  it('knows a verb in any form', () => {
    for (const form of ['送る', '送って', '送ります', '送りたい', '送ろう']) expect(found(form)?.[1]).toBe('send')
  })

  it('sees no word in a character of another word', () => {
    expect(found('車')).toEqual(['車', 'car'])
    expect(found('車輪')).toBeUndefined()
    expect(found('風車', 1)).toBeUndefined()
  })
})
