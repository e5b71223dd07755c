import type { ErrorComponentProps } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { Button } from '../parts/button.tsx'
import { Page } from '../parts/page.tsx'
import { EmptyState } from '../parts/states.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'

/** Stands where a page could not be shown, or a part of it could not be loaded. */
export function BrokenPage({ error }: ErrorComponentProps) {
  const { common } = useText()
  return (
    <Page title={common.problem}>
      <EmptyState
        icon={<TriangleAlert size={24} aria-hidden />}
        title={common.broken}
        action={
          <Button kind="primary" onClick={() => location.reload()}>
            {common.retry}
          </Button>
        }
      >
        <UntrustedText most={300}>{error instanceof Error ? error.message : String(error)}</UntrustedText>
      </EmptyState>
    </Page>
  )
}
