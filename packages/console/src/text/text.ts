import { createContext, use } from 'react'
import { en } from './en/index.ts'

/** Everything that the console says, by page. */
export type Text = typeof en

/** The languages that there are, by their own names. */
export const LANGUAGES = { en: 'English', ja: '日本語' } as const

/** A language. */
export type Language = keyof typeof LANGUAGES

/** The words in use. */
export const TextContext = createContext<{ readonly language: Language; readonly text: Text }>({
  language: 'en',
  text: en,
})

/** The words of a page, in the language of the person. */
export function useText(): Text {
  return use(TextContext).text
}

/** The language in use, for dates and numbers. */
export function useLanguage(): Language {
  return use(TextContext).language
}
