import { Dialog } from '@base-ui/react/dialog'
import { Link, Outlet } from '@tanstack/react-router'
import { Menu, Search } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useEvents } from '../api/events.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { useText } from '../text/text.ts'
import { CommandPalette } from './command-palette.tsx'
import { KeyboardHelp, PALETTE_KEY } from './keyboard-help.tsx'
import { NAVIGATION } from './navigation.ts'
import { Preferences } from './preferences.tsx'
import { useShortcuts } from './use-shortcuts.ts'

/** What is around every page: where one can go, and whether the gateway is there. */
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
      <aside className="sticky top-0 hidden h-dvh w-56 shrink-0 flex-col border-r border-line bg-surface md:flex">
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
            <p className="border-b border-warn/30 bg-warn-soft px-5 py-2 text-sm text-warn">{common.connection.lost}</p>
          )}
        </div>
        <main id="content" className="min-w-0 flex-1" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
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
              <Icon size={17} aria-hidden />
              {common.pages[id]}
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
    <Dialog.Root open={isOpen} onOpenChange={setIsOpen}>
      <Dialog.Trigger render={<IconButton label={common.openMenu} />}>
        <Menu size={18} aria-hidden />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup className="fixed inset-y-0 left-0 z-50 flex w-64 flex-col border-r border-line bg-surface pt-2 outline-none">
          <Dialog.Title className="sr-only">{common.navigation}</Dialog.Title>
          <Brand />
          <Places onGo={() => setIsOpen(false)} />
          <Preferences onHelp={onHelp} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
