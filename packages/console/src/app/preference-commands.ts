import { Keyboard, Languages, LogOut, Monitor, Moon, Sun } from 'lucide-react'
import { LANGUAGES, type Language, useText } from '../text/text.ts'
import { useChooseLanguage } from '../text/text-provider.tsx'
import type { Command } from './commands.ts'
import { useTheme } from './theme.ts'
import { useSignOut } from './use-sign-out.ts'

const THEMES = { light: Sun, dark: Moon, system: Monitor } as const

/** What else can be done from anywhere: theme, language, help, the way out. */
export function usePreferenceCommands(openHelp: () => void): readonly Command[] {
  const { common } = useText()
  const [, chooseTheme] = useTheme()
  const chooseLanguage = useChooseLanguage()
  const signOut = useSignOut()
  const kind = common.action
  return [
    { id: 'help', name: common.shortcuts.title, kind, icon: Keyboard, run: openHelp },
    ...(['light', 'dark', 'system'] as const).map((theme) => ({
      id: `theme ${theme}`,
      name: `${common.theme.title}: ${common.theme[theme]}`,
      kind,
      icon: THEMES[theme],
      run: () => chooseTheme(theme),
    })),
    ...Object.entries(LANGUAGES).map(([language, name]) => ({
      id: `language ${language}`,
      name: `${common.language}: ${name}`,
      kind,
      icon: Languages,
      run: () => chooseLanguage(language as Language),
    })),
    { id: 'sign-out', name: common.signOut, kind, icon: LogOut, run: signOut },
  ]
}
