import { Menu as BaseMenu } from '@base-ui/react/menu'
import { Ellipsis } from 'lucide-react'
import type { ReactNode } from 'react'
import { useText } from '../text/text.ts'
import { IconButton } from './button.tsx'
import { classNames } from './class-names.ts'

interface MenuItem {
  readonly label: string
  readonly icon?: ReactNode
  readonly onChoose: () => void
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
}

/** What else can be done with something. */
export function MoreMenu({ items, label }: { readonly items: readonly MenuItem[]; readonly label?: string }) {
  const { common } = useText()
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger render={<IconButton label={label ?? common.more} />}>
        <Ellipsis size={16} aria-hidden />
      </BaseMenu.Trigger>
      <BaseMenu.Portal>
        <BaseMenu.Positioner align="end" sideOffset={4} className="z-50">
          <BaseMenu.Popup className="min-w-44 animate-appear rounded-xl border border-line bg-surface p-1 text-sm shadow-raised">
            {items.map((item) => (
              <BaseMenu.Item
                key={item.label}
                onClick={item.onChoose}
                disabled={item.isDisabled ?? false}
                className={classNames(
                  'flex cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 outline-none data-disabled:cursor-not-allowed data-disabled:opacity-50 data-highlighted:bg-sunken',
                  item.isDangerous === true && 'text-bad',
                )}
              >
                {item.icon}
                {item.label}
              </BaseMenu.Item>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  )
}
