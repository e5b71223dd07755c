import { useMutation } from '@tanstack/react-query'
import type { ServerTest } from '@tooldex/contract/admin'
import { CircleAlert, CircleCheck, PlugZap } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { ApiProblem } from '../api/problem.ts'
import { Button } from '../parts/button.tsx'
import { useProof } from '../parts/forms/fresh-proof.tsx'
import { UntrustedText, WithCode } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'

/** Sends a test of a connection. */
type SendTest = (signal: AbortSignal) => Promise<ServerTest>

/** A test of the settings in a form. Leaving the form or changing it ends the test, and the server that it started. */
export function useServerTest() {
  const withProof = useProof()
  const under = useRef<AbortController>(undefined)
  const test = useMutation<ServerTest, ApiProblem, SendTest>({
    mutationFn: (send) => {
      const controller = new AbortController()
      under.current = controller
      return withProof(() => send(controller.signal))
    },
  })
  useEffect(() => () => under.current?.abort(), [])
  const end = (): void => {
    if (test.isIdle) return
    under.current?.abort()
    test.reset()
  }
  return { run: test.mutate, end, isRunning: test.isPending, answer: test.data, error: test.error }
}

interface TestConnectionProps {
  readonly test: ReturnType<typeof useServerTest>
  readonly send: SendTest
}

/** The button that tests a connection before it is saved, and the outcome. */
export function TestConnection({ test, send }: TestConnectionProps) {
  const { servers } = useText()
  const words = servers.test
  const { answer, isRunning } = test
  return (
    <section aria-label={words.button} className="flex flex-col gap-3 border-t border-line pt-4">
      <div className="flex flex-wrap items-center gap-3">
        <Button
          icon={<PlugZap size={15} aria-hidden />}
          onClick={(event) => {
            if (isRunning) return test.end()
            // The fields of a new server are checked as they are when it is added, but for its id.
            const { form } = event.currentTarget
            const isWrong = [...(form?.elements ?? [])].some(
              (field) => field instanceof HTMLInputElement && field.name !== 'id' && !field.reportValidity(),
            )
            if (!isWrong) test.run(send)
          }}
        >
          {isRunning ? words.cancel : words.button}
        </Button>
        <p className="min-w-0 flex-1 basis-60 text-[13px] text-faint">{words.hint}</p>
      </div>
      <div role="status">
        {isRunning && <p className="text-sm text-soft">{words.running}</p>}
        {answer !== undefined && <Outcome answer={answer} />}
      </div>
    </section>
  )
}

function Outcome({ answer }: { readonly answer: ServerTest }) {
  const { servers } = useText()
  const words = servers.test
  const { ok, name = '', version = '', tools = 0, problem, log } = answer
  if (ok) {
    return (
      <p className="flex items-start gap-2 rounded-xl border border-good/30 bg-good-soft px-4 py-3 text-sm text-good">
        <CircleCheck size={18} className="mt-px shrink-0" aria-hidden />
        <UntrustedText>{words.ok([name, version].filter(Boolean).join(' '), tools)}</UntrustedText>
      </p>
    )
  }
  return (
    <div className="flex items-start gap-2 rounded-xl border border-bad/30 bg-bad-soft px-4 py-3 text-sm text-bad">
      <CircleAlert size={18} className="mt-px shrink-0" aria-hidden />
      <div className="min-w-0 flex-1 wrap-anywhere">
        <p className="font-medium">{words.failed}</p>
        {problem !== undefined && (
          <p className="mt-1">
            <WithCode>{problem.message}</WithCode>
          </p>
        )}
        {log.length > 0 && (
          <>
            <p className="mt-2 font-medium">{words.log}</p>
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that a keyboard can scroll it */}
            <pre
              className="max-h-48 overflow-auto font-mono text-[13px] whitespace-pre-wrap"
              tabIndex={0}
              aria-label={words.log}
            >
              <UntrustedText>{log.join('\n')}</UntrustedText>
            </pre>
          </>
        )}
      </div>
    </div>
  )
}
