import { type ReactNode, createContext, use, useCallback, useEffect, useMemo, useState } from 'react'
import { en } from './en/index.ts'
import { type Language, LANGUAGES, type Text, TextContext } from './text.ts'

const KEPT = 'tooldex.language'

const ChooseLanguage = createContext<(language: Language) => void>(() => {})

/** A function that changes the language. */
export function useChooseLanguage(): (language: Language) => void {
  return use(ChooseLanguage)
}

/** Provides the texts: in the language chosen before, else in the browser's language if it is available. */
export function TextProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(initialLanguage)
  const [text, setText] = useState<Text | undefined>(language === 'en' ? en : undefined)
  useEffect(() => {
    document.documentElement.lang = language
    if (language === 'en') setText(en)
    // Loaded on demand. Where that fails, the page stays in English rather than empty.
    else
      import('./ja/index.ts').then(
        ({ ja }) => setText(ja),
        () => setText((before) => before ?? en),
      )
  }, [language])
  const choose = useCallback((chosen: Language): void => {
    // Only a choice is kept, so that the console follows the browser until there is one.
    localStorage.setItem(KEPT, chosen)
    setLanguage(chosen)
  }, [])
  const value = useMemo(() => ({ language, text: text ?? en }), [language, text])
  if (text === undefined) return null
  return (
    <ChooseLanguage value={choose}>
      <TextContext value={value}>{children}</TextContext>
    </ChooseLanguage>
  )
}

function initialLanguage(): Language {
  const wanted = localStorage.getItem(KEPT) ?? navigator.language.slice(0, 2)
  return Object.hasOwn(LANGUAGES, wanted) ? (wanted as Language) : 'en'
}
