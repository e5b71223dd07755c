import { Keyboard, LogOut, Monitor, Moon, Sun } from 'lucide-react'
import { IconButton } from '../parts/button.tsx'
import { type Language, LANGUAGES, useLanguage, useText } from '../text/text.ts'
import { useChooseLanguage } from '../text/text-provider.tsx'
import { type ThemeChoice, useTheme } from './theme.ts'
import { useSignOut } from './use-sign-out.ts'

const NEXT: Readonly<Record<ThemeChoice, ThemeChoice>> = { system: 'light', light: 'dark', dark: 'system' }
const ICONS = { system: Monitor, light: Sun, dark: Moon }

/** Theme, language, help and the way out. */
export function Preferences({ onHelp }: { readonly onHelp: () => void }) {
  const { common } = useText()
  const language = useLanguage()
  const chooseLanguage = useChooseLanguage()
  const [theme, chooseTheme] = useTheme()
  const signOut = useSignOut()
  const Icon = ICONS[theme]
  return (
    <div className="flex items-center gap-1 border-t border-line px-3 py-2.5">
      <IconButton label={`${common.theme.title}: ${common.theme[theme]}`} onClick={() => chooseTheme(NEXT[theme])}>
        <Icon size={16} aria-hidden />
      </IconButton>
      <select
        aria-label={common.language}
        value={language}
        onChange={(event) => chooseLanguage(event.target.value as Language)}
        className="h-8 min-w-0 flex-1 cursor-pointer rounded-lg bg-transparent px-1.5 text-[13px] text-soft hover:bg-sunken"
      >
        {Object.entries(LANGUAGES).map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <IconButton label={common.shortcuts.title} className="max-md:hidden" onClick={onHelp}>
        <Keyboard size={16} aria-hidden />
      </IconButton>
      <IconButton label={common.signOut} onClick={signOut}>
        <LogOut size={16} aria-hidden />
      </IconButton>
    </div>
  )
}
