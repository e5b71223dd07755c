import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { Link, Outlet } from '@tanstack/react-router'
import { Keyboard, LogOut, Menu, Monitor, Moon, Search, Sun } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useEvents } from '../api/events.ts'
import { useApi } from '../api/queries.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Switch } from '../parts/switch.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useChooseLanguage } from '../text/text-provider.tsx'
import { type Language, LANGUAGES, useLanguage, useText } from '../text/text.ts'
import { CommandPalette } from './command-palette.tsx'
import { Later } from './later.tsx'
import { NAVIGATION } from './navigation.ts'
import { useSignOut } from './session.tsx'
import { useShortcuts } from './shortcuts.ts'
import { type ThemeChoice, useTheme } from './theme.ts'

/** The frame of every page: navigation, and a banner while the gateway cannot be reached. */
export function Shell() {
  const { common } = useText()
  const connection = useEvents()
  const [opened, setOpened] = useState<'palette' | 'help'>()
  const openPalette = useCallback(() => setOpened('palette'), [])
  const openHelp = useCallback(() => setOpened('help'), [])
  const shortcuts = useShortcuts(openPalette, openHelp)
  const close = (): void => setOpened(undefined)
  return (
    <div className="flex min-h-dvh flex-col md:flex-row">
      <a
        href="#content"
        className="sr-only z-50 rounded-lg bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        {common.skipToContent}
      </a>
      <aside className="sticky top-0 hidden h-dvh w-60 shrink-0 flex-col border-r border-line bg-surface md:flex">
        <Brand />
        <div className="px-3 pb-2">
          <PaletteButton onOpen={openPalette} />
        </div>
        <Places />
        <Preferences onHelp={openHelp} />
      </aside>
      <header className="sticky top-0 z-30 flex items-center gap-2 border-b border-line bg-surface px-3 py-2 md:hidden">
        <MobileMenu onHelp={openHelp} />
        <Brand />
        <IconButton label={common.commands} className="ml-auto" onClick={openPalette}>
          <Search size={17} aria-hidden />
        </IconButton>
      </header>
      <div className="flex min-w-0 flex-1 flex-col">
        <div role="status" aria-live="polite">
          {connection === 'lost' && (
            <p className="border-b border-warn/30 bg-warn-soft px-5 py-2 text-sm text-warn">{common.connectionLost}</p>
          )}
        </div>
        <main id="content" className="min-w-0 flex-1" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <Later />
      <CommandPalette open={opened === 'palette'} onClose={close} onHelp={openHelp} />
      <KeyboardHelp open={opened === 'help'} onClose={close} areOn={shortcuts.areOn} onTurn={shortcuts.turn} />
    </div>
  )
}

function Brand() {
  const { common } = useText()
  return (
    <Link to="/" className="flex items-center gap-2.5 px-3 py-2 md:px-4 md:py-4">
      <img src="/console/icon.svg" alt="" className="size-7" />
      <span className="text-[15px] font-semibold tracking-tight">{common.product}</span>
    </Link>
  )
}

function Places({ onGo }: { readonly onGo?: () => void }) {
  const { common } = useText()
  return (
    <nav aria-label={common.navigation} className="flex-1 overflow-y-auto px-3 py-1">
      <ul className="flex flex-col gap-0.5">
        {NAVIGATION.map(({ id, to, icon: Icon }) => (
          <li key={id}>
            <Link
              to={to}
              onClick={onGo}
              activeOptions={{ exact: to === '/' }}
              className="flex items-center gap-2.5 rounded-lg px-2.5 py-2 text-sm font-medium text-soft hover:bg-sunken hover:text-text aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent-strong"
            >
              <Icon size={17} className="shrink-0" aria-hidden />
              <span className="whitespace-nowrap">{common.pages[id]}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function PaletteButton({ onOpen }: { readonly onOpen: () => void }) {
  const { common } = useText()
  return (
    <Button
      size="small"
      className="w-full justify-start font-normal text-soft!"
      icon={<Search size={15} aria-hidden />}
      onClick={onOpen}
    >
      <span className="flex-1 truncate text-left">{common.commands}</span>
      <kbd className="rounded border border-line bg-sunken px-1.5 font-sans text-[11px] text-faint">{PALETTE_KEY}</kbd>
    </Button>
  )
}

function MobileMenu({ onHelp }: { readonly onHelp: () => void }) {
  const { common } = useText()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <BaseDialog.Root open={isOpen} onOpenChange={setIsOpen}>
      <BaseDialog.Trigger render={<IconButton label={common.openMenu} />}>
        <Menu size={18} aria-hidden />
      </BaseDialog.Trigger>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <BaseDialog.Popup className="fixed inset-y-0 left-0 z-50 flex w-64 flex-col border-r border-line bg-surface pt-2 outline-none">
          <BaseDialog.Title className="sr-only">{common.navigation}</BaseDialog.Title>
          <Brand />
          <Places onGo={() => setIsOpen(false)} />
          <Preferences onHelp={onHelp} />
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}

const NEXT: Readonly<Record<ThemeChoice, ThemeChoice>> = { system: 'light', light: 'dark', dark: 'system' }
const ICONS = { system: Monitor, light: Sun, dark: Moon }

/** Theme, language, help and sign-out. */
function Preferences({ onHelp }: { readonly onHelp: () => void }) {
  const { common } = useText()
  const language = useLanguage()
  const chooseLanguage = useChooseLanguage()
  const [theme, chooseTheme] = useTheme()
  const signOut = useSignOut()
  const Icon = ICONS[theme]
  return (
    <div className="border-t border-line px-3 py-2.5">
      <Account />
      <div className="flex items-center gap-1">
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
    </div>
  )
}

/** Who has signed in, and what the role allows. */
function Account() {
  const { common } = useText()
  const session = useApi('getSession', {}, { staleTime: 60_000 }).data
  if (session === undefined) return null
  return (
    <div
      role="group"
      aria-label={common.signedInAs}
      className="mb-1.5 px-1.5 text-[13px] text-soft"
      title={common.roleHints[session.role]}
    >
      <span className="block truncate font-medium text-text">
        <UntrustedText most={60}>{session.name}</UntrustedText>
      </span>
      {common.roles[session.role]}
      {session.role !== 'administrator' && <span className="block text-faint">{common.roleHints[session.role]}</span>}
    </div>
  )
}

interface KeyboardHelpProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly areOn: boolean
  readonly onTurn: (areOn: boolean) => void
}

/** All shortcuts, and a switch for the single-key ones. */
function KeyboardHelp({ open, onClose, areOn, onTurn }: KeyboardHelpProps) {
  const { common } = useText()
  const words = common.shortcuts
  return (
    <Dialog open={open} onClose={onClose} title={words.title}>
      <div className="flex flex-col gap-5">
        <dl className="flex flex-col gap-2 text-sm">
          <Line keys={[PALETTE_KEY]}>{common.commands}</Line>
          <Line keys={['/']}>{words.find}</Line>
          <Line keys={['?']}>{words.title}</Line>
          <Line keys={[SEND_KEY]}>{words.send}</Line>
          <Line keys={['Esc']}>{words.close}</Line>
        </dl>
        <section className="flex flex-col gap-2">
          <h3 className="text-[13px] font-medium text-soft">{words.goTo}</h3>
          <dl className="grid gap-x-8 gap-y-2 text-sm sm:grid-cols-2">
            {NAVIGATION.map(({ id, key }) => (
              <Line key={id} keys={['g', key]}>
                {common.pages[id]}
              </Line>
            ))}
          </dl>
        </section>
        <Switch label={words.single} hint={words.singleHint} checked={areOn} onChange={onTurn} />
      </div>
    </Dialog>
  )
}

function Line({ keys, children }: { readonly keys: readonly string[]; readonly children: string }) {
  return (
    <div className="flex items-center justify-between gap-4">
      <dt>{children}</dt>
      <dd className="flex gap-1">
        {keys.map((key) => (
          <kbd
            key={key}
            className="flex h-6 min-w-6 items-center justify-center rounded border border-line bg-sunken px-1.5 font-sans text-xs text-soft"
          >
            {key}
          </kbd>
        ))}
      </dd>
    </div>
  )
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** The shortcut that opens the palette. */
const PALETTE_KEY = isMac ? '⌘ K' : 'Ctrl K'
const SEND_KEY = isMac ? '⌘ ↵' : 'Ctrl ↵'
