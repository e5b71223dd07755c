import { createContext, use } from 'react'
import { en } from './en/index.ts'

/** All texts of the console, by page. */
export type Text = typeof en

/** The available languages, by their own names. */
export const LANGUAGES = { en: 'English', ja: '日本語' } as const

/** The code of a language. */
export type Language = keyof typeof LANGUAGES

/** The current language and its texts. */
export const TextContext = createContext<{ readonly language: Language; readonly text: Text }>({
  language: 'en',
  text: en,
})

/** The texts in the current language. */
export function useText(): Text {
  return use(TextContext).text
}

/** The current language, for dates and numbers. */
export function useLanguage(): Language {
  return use(TextContext).language
}
