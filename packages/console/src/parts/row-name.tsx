import { createLink } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'

/** Names a row and leads to what it shows. */
export const RowLink = createLink((props: ComponentProps<'a'>) => (
  <a {...props} className="font-medium hover:underline" />
))

/** The first cell of a row: its name, and what is special about it. */
export function RowName({ children }: { readonly children: ReactNode }) {
  return <span className="flex flex-wrap items-center gap-2">{children}</span>
}
