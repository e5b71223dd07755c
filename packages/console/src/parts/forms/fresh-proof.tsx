import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react'
import { signIn } from '../../api/call.ts'
import { ApiProblem } from '../../api/problem.ts'
import { checkSession } from '../../api/queries.ts'
import { useText } from '../../text/text.ts'
import { FormDialog } from './change-form.tsx'
import { ProofAskedContext } from '../dialog.tsx'
import { TextField } from '../field.tsx'
import { WithCode } from '../untrusted-text.tsx'

/** Sends a request; if the gateway needs a fresh proof, asks for the admin token and sends the request again. */
type WithProof = <Answer>(send: () => Promise<Answer>) => Promise<Answer>

const ProofContext = createContext<WithProof>((send) => send())

/** Requests that may need a fresh proof of identity. */
export function useProof(): WithProof {
  return use(ProofContext)
}

/** Asks for the admin token over everything else that is open. Nothing that was typed there is lost. */
export function ProofProvider({ children }: { readonly children: ReactNode }) {
  const [waiting, setWaiting] = useState<readonly ((isProven: boolean) => void)[]>([])
  const withProof: WithProof = useCallback(async (send) => {
    try {
      return await send()
    } catch (problem) {
      if (!(problem instanceof ApiProblem) || problem.code !== 'FRESH_PROOF_REQUIRED') throw problem
      const isProven = await new Promise<boolean>((resolve) => setWaiting((before) => [...before, resolve]))
      if (!isProven) throw problem
      return await send()
    }
  }, [])
  const isAsked = waiting.length > 0
  const end = (isProven: boolean): void => {
    for (const resolve of waiting) resolve(isProven)
    setWaiting([])
  }
  return (
    <ProofContext value={withProof}>
      <ProofAskedContext value={isAsked}>{children}</ProofAskedContext>
      {isAsked && <ProofDialog onEnd={end} />}
    </ProofContext>
  )
}

function ProofDialog({ onEnd }: { readonly onEnd: (isProven: boolean) => void }) {
  const { common } = useText()
  const words = common.proof
  const client = useQueryClient()
  const [token, setToken] = useState('')
  const [isPending, setIsPending] = useState(false)
  const [error, setError] = useState<ApiProblem | null>(null)
  const submit = async (): Promise<void> => {
    setIsPending(true)
    try {
      await signIn({ token: token.trim() })
      // The token may be another one, with another name and role.
      checkSession(client)
      onEnd(true)
    } catch (problem) {
      setError(problem as ApiProblem)
      setIsPending(false)
    }
  }
  const change = useMemo(() => ({ isPending, error: null }), [isPending])
  return (
    <FormDialog
      title={words.title}
      lead={words.lead}
      size="small"
      submit={words.submit}
      change={change}
      fields={[]}
      onSubmit={() => void submit()}
      onClose={() => onEnd(false)}
    >
      {() => (
        <TextField
          label={common.signIn.token}
          hint={<WithCode>{words.hint}</WithCode>}
          type="password"
          name="proof"
          autoComplete="current-password"
          required
          value={token}
          onChange={(event) => setToken(event.target.value)}
          problem={error?.message}
        />
      )}
    </FormDialog>
  )
}
