import { useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'

/** Ends the session; whoever comes next is asked to sign in. */
export function useSignOut(): () => void {
  const client = useQueryClient()
  return () => void call('signOut', {}).finally(() => void client.resetQueries())
}
