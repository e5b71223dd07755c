import { useQueryClient } from '@tanstack/react-query'
import { Activity, type ReactNode, useEffect, useState } from 'react'
import { signIn, signOut } from '../api/call.ts'
import { onOtherTab } from '../api/page-secret.ts'
import { ApiProblem } from '../api/problem.ts'
import { checkSession, useApi } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { RoleContext } from '../parts/role.tsx'
import { ProblemNote, Skeleton } from '../parts/states.tsx'
import { WithCode } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'

/** Shows the console after signing in, and the sign-in form before. The address stays the same. */
export function SignedIn({ children }: { readonly children: ReactNode }) {
  const [code, setCode] = useState(takeSignInCode)
  const session = useApi('getSession', {}, { enabled: code === undefined, retry: false, staleTime: 60_000 })
  const [wasSignedIn, setWasSignedIn] = useState(false)
  const isRefused = session.error?.status === 401
  const client = useQueryClient()
  useEffect(() => onOtherTab(() => checkSession(client)), [client])
  useEffect(() => {
    if (session.data !== undefined && !isRefused) setWasSignedIn(true)
  }, [session.data, isRefused])
  if (code !== undefined) return <SignInByCode code={code} onEnd={() => setCode(undefined)} />
  if (session.data !== undefined) {
    return (
      <>
        {isRefused && <SignIn isAgain />}
        {/* What was typed is still there after signing in again. */}
        <Activity mode={isRefused ? 'hidden' : 'visible'}>
          <RoleContext value={session.data.role}>{children}</RoleContext>
        </Activity>
      </>
    )
  }
  if (isRefused) return <SignIn isAgain={wasSignedIn} />
  if (session.error !== null) {
    return (
      <Centred>
        <ProblemNote problem={session.error} onRetry={() => void session.refetch()} />
      </Centred>
    )
  }
  return (
    <Centred>
      <Skeleton className="h-40 w-full" />
    </Centred>
  )
}

function SignIn({ isAgain }: { readonly isAgain: boolean }) {
  const { common } = useText()
  const client = useQueryClient()
  const [token, setToken] = useState('')
  const [problem, setProblem] = useState<ApiProblem>()
  const [isBusy, setIsBusy] = useState(false)
  const submit = async (): Promise<void> => {
    setIsBusy(true)
    try {
      client.setQueryData(['getSession', {}], await signIn({ token: token.trim() }))
      setProblem(undefined)
      // Pages that are still there keep what they show until they have newer answers.
      await (isAgain ? client.invalidateQueries() : client.resetQueries())
    } catch (error) {
      setProblem(error as ApiProblem)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Centred>
      <form
        className="flex flex-col gap-4 rounded-2xl border border-line bg-surface p-6 shadow-raised"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <div className="flex items-center gap-3">
          <img src="/console/icon.svg" alt="" className="size-9" />
          <h1 className="text-lg font-semibold">{common.signIn.title}</h1>
        </div>
        <p className="text-sm leading-relaxed text-soft">
          <WithCode>{isAgain ? common.signIn.again : common.signIn.lead}</WithCode>
        </p>
        <TextField
          label={common.signIn.token}
          type="password"
          name="token"
          autoComplete="current-password"
          // The only field of the page.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          required
          value={token}
          onChange={(event) => setToken(event.target.value)}
          problem={problem?.message}
        />
        <Button kind="primary" type="submit" busy={isBusy}>
          {common.signIn.submit}
        </Button>
      </form>
    </Centred>
  )
}

function SignInByCode({ code, onEnd }: { readonly code: string; readonly onEnd: () => void }) {
  const { common } = useText()
  const client = useQueryClient()
  const [hasFailed, setHasFailed] = useState(false)
  useEffect(() => {
    signIn({ code })
      .then(() => client.resetQueries({ queryKey: ['getSession'] }))
      .then(onEnd, () => setHasFailed(true))
  }, [code, client, onEnd])
  if (!hasFailed) return <Centred>{common.signIn.byCode}</Centred>
  return (
    <Centred>
      <ProblemNote problem={new ApiProblem(401, { code: 'TOKEN_INVALID', detail: common.signIn.codeFailed })} />
      <Button kind="primary" className="mt-4 w-full" onClick={onEnd}>
        {common.next}
      </Button>
    </Centred>
  )
}

function Centred({ children }: { readonly children: ReactNode }) {
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div className="w-full max-w-sm">{children}</div>
    </main>
  )
}

const SIGN_IN = '#signin='

/** The one-time code of a sign-in link. It is removed from the address, which browsers keep and people share. */
function takeSignInCode(): string | undefined {
  const { hash, pathname, search } = location
  if (!hash.startsWith(SIGN_IN)) return undefined
  history.replaceState(history.state, '', pathname + search)
  return decodeURIComponent(hash.slice(SIGN_IN.length))
}

/** Ends the session and shows the sign-in form. */
export function useSignOut(): () => void {
  const client = useQueryClient()
  return () => void signOut().finally(() => void client.resetQueries())
}
