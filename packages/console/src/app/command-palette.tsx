import { Dialog } from '@base-ui/react/dialog'
import { useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown, CornerDownLeft, Search } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { classNames } from '../parts/class-names.ts'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { type Command, useCommands } from './commands.ts'

interface PaletteProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly onHelp: () => void
}

/** Finds pages, entries and actions by a few letters; works by keyboard alone. */
export function CommandPalette({ open, onClose, onHelp }: PaletteProps) {
  const { common } = useText()
  return (
    <Dialog.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40 backdrop-blur-[2px]" />
        <Dialog.Popup className="fixed top-[12vh] left-1/2 z-50 flex max-h-[70vh] w-[calc(100vw-1.5rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-2xl border border-line bg-surface shadow-raised outline-none animate-appear">
          <Dialog.Title className="sr-only">{common.commands}</Dialog.Title>
          <Finder onClose={onClose} onHelp={onHelp} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Finder({ onClose, onHelp }: Omit<PaletteProps, 'open'>) {
  const { common } = useText()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const listId = useId()
  const navigate = useNavigate()
  const commands = useCommands(typed, onHelp)
  const chosen = Math.min(at, commands.length - 1)
  const optionId = (place: number): string => `${listId}-${place}`
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const go = (command: Command | undefined): void => {
    if (command === undefined) return
    onClose()
    command.run?.()
    if (command.to !== undefined) void navigate(command.to)
  }
  return (
    <>
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Search size={17} className="shrink-0 text-faint" aria-hidden />
        <input
          role="combobox"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={commands.length === 0 ? undefined : optionId(chosen)}
          aria-label={common.commandHint}
          placeholder={common.commandHint}
          className="h-12 min-w-0 flex-1 bg-transparent text-sm outline-none placeholder:text-faint"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            setAt(0)
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') go(commands[chosen])
            else if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, commands.length - 1))
            else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0))
            else return
            event.preventDefault()
          }}
        />
      </div>
      <ul
        ref={list}
        id={listId}
        role="listbox"
        aria-label={common.commands}
        className="min-h-0 flex-1 overflow-y-auto p-1.5"
      >
        {commands.map((command, place) => (
          // The input keeps the focus and handles the keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={command.id}
            id={optionId(place)}
            role="option"
            aria-selected={place === chosen}
            onClick={() => go(command)}
            onMouseMove={() => setAt(place)}
            className={classNames(
              'flex cursor-pointer items-center gap-3 rounded-lg px-3 py-2 text-sm',
              place === chosen && 'bg-accent-soft',
            )}
          >
            <command.icon size={16} className="shrink-0 text-faint" aria-hidden />
            <span className="min-w-0 flex-1 truncate">
              <UntrustedText>{command.name}</UntrustedText>
            </span>
            <span className="shrink-0 text-xs text-soft">{command.kind}</span>
          </li>
        ))}
      </ul>
      {commands.length === 0 && <p className="px-5 pb-5 text-sm text-soft">{common.noCommands}</p>}
      <footer className="hidden gap-4 border-t border-line px-4 py-2 text-xs text-faint sm:flex" aria-hidden>
        <Key shown={<ChevronsUpDown size={12} />}>{common.keys.choose}</Key>
        <Key shown={<CornerDownLeft size={12} />}>{common.keys.open}</Key>
        <Key shown="Esc">{common.keys.close}</Key>
      </footer>
    </>
  )
}

function Key({ shown, children }: { readonly shown: ReactNode; readonly children: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <kbd className="flex h-5 min-w-5 items-center justify-center rounded border border-line bg-sunken px-1 font-sans text-[11px]">
        {shown}
      </kbd>
      {children}
    </span>
  )
}
