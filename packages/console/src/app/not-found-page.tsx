import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { Page } from '../parts/page.tsx'
import { EmptyState } from '../parts/states.tsx'
import { useText } from '../text/text.ts'

/** For addresses that lead nowhere. */
export function NotFoundPage() {
  const { common } = useText()
  return (
    <Page title={common.notFound.title}>
      <EmptyState
        icon={<Compass size={24} aria-hidden />}
        title={common.notFound.text}
        action={
          <Link to="/" className="text-sm font-medium text-accent underline">
            {common.notFound.home}
          </Link>
        }
      />
    </Page>
  )
}
