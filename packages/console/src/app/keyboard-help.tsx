import { Dialog } from '../parts/dialog.tsx'
import { Switch } from '../parts/switch.tsx'
import { useText } from '../text/text.ts'
import { NAVIGATION } from './navigation.ts'

interface KeyboardHelpProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly areOn: boolean
  readonly onTurn: (areOn: boolean) => void
}

/** Every key that does something, and a switch for those that need no other key. */
export function KeyboardHelp({ open, onClose, areOn, onTurn }: KeyboardHelpProps) {
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

/** What opens the palette. */
export const PALETTE_KEY = isMac ? '⌘ K' : 'Ctrl K'
const SEND_KEY = isMac ? '⌘ ↵' : 'Ctrl ↵'
