import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Dictionary, foldWord } from './dictionary.ts'
import { basesOf, openingsOf } from './inflections.ts'
import { JapaneseDictionary } from './japanese-dictionary.ts'
import { LANGUAGE_DATA, type SpacedLanguage } from './language-data.ts'

const TABLES = LANGUAGE_DATA.spaced

const meant = (language: SpacedLanguage, text: string): string | undefined => {
  const words = foldWord(text).split(/[^\p{L}]+/u)
  const entry = new Dictionary(language, TABLES[language]).find(words, 0)
  return entry?.meaning.map(([first]) => first).join(' ')
}

describe('Dictionary', () => {
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
    ['portuguese', 'sons', 'audio'],
  ] as const)('knows an inflection: %s %s', (language, word, meaning) => {
    expect(meant(language, word)).toBe(meaning)
  })

  it('takes the longest phrase', () => {
    expect(meant('spanish', 'base de datos')).toBe('database')
    expect(meant('spanish', 'copias de seguridad')).toBe('backup')
    expect(meant('french', "captures d'écran")).toBe('screenshot')
    expect(meant('french', 'capture')).toBe('capture')
  })

  it('splits a German compound if it knows both parts', () => {
    expect(meant('german', 'Kundenrechnung')).toBe('customer invoice')
    expect(meant('german', 'Projektdateien')).toBe('project file')
    expect(meant('german', 'Zaubererrechnung')).toBeUndefined()
    expect(meant('spanish', 'clientefactura')).toBeUndefined()
  })

  it('finds nothing in other words, however long', () => {
    expect(meant('german', 'xylophon')).toBeUndefined()
    expect(meant('german', 'datei'.repeat(100))).toBeUndefined()
    expect(new Dictionary('german', TABLES.german).find([], 3)).toBeUndefined()
  })

  it('finds every base of an inflection by its first letters', () => {
    const inflected = fc.stringMatching(/^(?:ge|ab|zu|auf)?(?:zu|ge)?[a-z]{3,12}$/)
    fc.assert(
      fc.property(inflected, fc.constantFrom(...(Object.keys(TABLES) as SpacedLanguage[])), (word, language) => {
        const openings = openingsOf(word, language)
        for (const base of basesOf(word, language)) {
          expect(openings.some((opening) => base.startsWith(opening))).toBe(true)
        }
      }),
    )
  })
})

describe('JapaneseDictionary', () => {
  const dictionary = new JapaneseDictionary(LANGUAGE_DATA.japanese)
  const found = (text: string, at = 0) => {
    const run = dictionary.find(text, at)
    return run === undefined ? undefined : [text.slice(at, at + run.length), run.meaning[0]?.[0]]
  }

  it('takes the longest word at a position', () => {
    expect(found('請求書を作成')).toEqual(['請求書', 'invoice'])
    expect(found('請求書を作成', 4)).toEqual(['作成', 'create'])
    expect(found('会議室')).toEqual(['会議室', 'meeting'])
  })

  it('knows a verb in any form', () => {
    for (const form of ['送る', '送って', '送ります', '送りたい', '送ろう']) expect(found(form)?.[1]).toBe('send')
  })

  it('does not take one character of a longer word for a word', () => {
    expect(found('車')).toEqual(['車', 'car'])
    expect(found('車輪')).toBeUndefined()
    expect(found('風車', 1)).toBeUndefined()
  })
})
