import type { InstalledClient, PlannedConnection } from '@tooldex/contract/admin'
import { FilePen, Undo2 } from 'lucide-react'
import { useId } from 'react'
import { Button } from '../parts/button.tsx'
import { classNames } from '../parts/class-names.ts'
import { ProblemNote } from '../parts/states.tsx'
import { RelativeTime } from '../parts/time.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useChange } from '../parts/forms/use-change.ts'
import { useText } from '../text/text.ts'

interface WriteClientProps {
  readonly installed: InstalledClient
  readonly endpoint: string
  /** The secret of a token to write; without it the gateway makes a token for this client. */
  readonly secret: string | undefined
}

/** Writes the gateway into the file of a client on this machine: first the change is shown, then it is written. */
export function WriteClient({ installed, endpoint, secret }: WriteClientProps) {
  const { endpoints, common } = useText()
  const words = endpoints.write
  const region = useId()
  const { client, title, writtenAt } = installed
  const params = { client }
  const asked = { endpoint, ...(secret !== undefined && { secret }) }
  const preview = useChange('previewClient', { problemToast: false })
  const undo = useChange('disconnectClient', {
    problemToast: false,
    done: ({ file }) => words.undone(file),
    onDone: () => preview.reset(),
  })
  const takeBack = (): void => undo.mutate({ params })
  const write = useChange('connectClient', {
    problemToast: false,
    done: ({ token }) => (token === undefined ? words.done(title) : words.doneWithToken(title, token)),
    undo: () => takeBack,
    onDone: () => preview.reset(),
  })
  const look = (): void => {
    write.reset()
    undo.reset()
    preview.mutate({ params, body: asked })
  }
  const plan = preview.data
  const problem = preview.error ?? write.error ?? undo.error
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Button
          needs="connectClient"
          icon={<FilePen size={15} aria-hidden />}
          busy={preview.isPending}
          aria-expanded={plan !== undefined}
          {...(plan !== undefined && { 'aria-controls': region })}
          onClick={plan === undefined ? look : () => preview.reset()}
        >
          {words.button}
        </Button>
        {writtenAt !== undefined && (
          <>
            <span className="text-[13px] text-soft">
              {words.writtenAt} <RelativeTime at={writtenAt} />
            </span>
            <Button
              kind="quiet"
              needs="disconnectClient"
              icon={<Undo2 size={15} aria-hidden />}
              busy={undo.isPending}
              onClick={takeBack}
            >
              {words.undo(title)}
            </Button>
          </>
        )}
      </div>
      {plan !== undefined && (
        <section
          id={region}
          aria-label={words.region(title)}
          className="flex flex-col gap-3 rounded-xl border border-line bg-sunken px-4 py-3 text-sm"
        >
          <Plan plan={plan} />
          <div className="flex flex-wrap gap-2">
            {plan.diff.length > 0 && (
              <Button
                kind="primary"
                busy={write.isPending}
                onClick={() => write.mutate({ params, body: { ...asked, revision: plan.revision } })}
              >
                {words.confirm}
              </Button>
            )}
            {plan.action === 'refused' && <Button onClick={look}>{common.retry}</Button>}
            <Button onClick={() => preview.reset()}>{plan.diff.length > 0 ? common.cancel : common.close}</Button>
          </div>
        </section>
      )}
      {problem !== null && (
        <ProblemNote problem={problem} {...(problem.code === 'REVISION_CONFLICT' && { onRetry: look })} />
      )}
    </div>
  )
}

/** What would change in which file, or why nothing can. */
function Plan({ plan }: { readonly plan: PlannedConnection }) {
  const { endpoints } = useText()
  const words = endpoints.write
  const { action, file, reason = '', diff } = plan
  if (action === 'refused') {
    return (
      <div role="alert" className="text-bad">
        <p className="font-medium">
          <UntrustedText>{reason}</UntrustedText>
        </p>
        <p className="mt-1">{words.refused}</p>
      </div>
    )
  }
  return (
    <>
      <p role="status">{diff.length === 0 ? words.connected(file) : words.changes(file)}</p>
      {diff.length > 0 && (
        <>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that a keyboard can scroll it */}
          <pre
            className="max-h-72 overflow-auto rounded-lg border border-line bg-surface p-3 font-mono text-[13px] leading-relaxed"
            tabIndex={0}
            aria-label={words.diff}
          >
            {diff.map(({ sign, line }, place) => (
              <div key={place} className={classNames('whitespace-pre-wrap', sign === '+' ? 'text-good' : 'text-bad')}>
                {sign} <UntrustedText>{line}</UntrustedText>
              </div>
            ))}
          </pre>
          <p className="text-[13px] text-soft">{words.backup}</p>
        </>
      )}
    </>
  )
}
