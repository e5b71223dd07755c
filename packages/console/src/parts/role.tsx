import { type AdminRole, type AdminRouteId, mayUse, roleNeeded } from '@tooldex/contract/admin'
import { createContext, type ReactNode, use } from 'react'
import { useText } from '../text/text.ts'

/** The role of the person who has signed in. */
export const RoleContext = createContext<AdminRole>('administrator')

/** Why an operation cannot be used with the current role; undefined if it can. */
export function useRefusal(needs: AdminRouteId | undefined): string | undefined {
  const { common } = useText()
  const role = use(RoleContext)
  if (needs === undefined || mayUse(role, needs)) return undefined
  return common.needsRole(common.roles[roleNeeded(needs)])
}

/** Says above what can only be read that acting needs another role. */
export function RoleNote({ needs }: { readonly needs: AdminRouteId }) {
  const { common } = useText()
  const refusal = useRefusal(needs)
  if (refusal === undefined) return null
  return (
    <p className="rounded-xl border border-line bg-sunken px-4 py-3 text-sm text-soft">
      {common.onlyLook(common.roles[roleNeeded(needs)])}
    </p>
  )
}

/** Fields that are read-only without the role for an operation, with the reason above them. */
export function Guarded({
  needs,
  children,
}: {
  readonly needs: AdminRouteId | undefined
  readonly children: ReactNode
}) {
  const refusal = useRefusal(needs)
  if (needs === undefined || refusal === undefined) return children
  return (
    <>
      <RoleNote needs={needs} />
      <fieldset disabled className="contents">
        {children}
      </fieldset>
    </>
  )
}
