import { Toast } from '@base-ui/react/toast'
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { type ApiProblem, problemText } from '../api/problem.ts'
import { useText } from '../text/text.ts'
import { Button, IconButton } from './button.tsx'
import { plainText } from './invisible-characters.ts'

interface ToastData {
  readonly undo?: () => void
}

/** Shows toasts for completed changes and for problems. */
export function useToasts(): { done(text: string, undo?: () => void): void; problem(problem: ApiProblem): void } {
  const { add } = Toast.useToastManager<ToastData>()
  const { common } = useText()
  return useMemo(
    () => ({
      done: (text, undo) =>
        void add({
          title: plainText(text),
          type: 'done',
          timeout: undo === undefined ? 4_000 : 10_000,
          data: { ...(undo !== undefined && { undo }) },
        }),
      problem: (problem) =>
        void add({
          title: plainText(problemText(problem, common)),
          type: 'problem',
          priority: 'high',
          timeout: 12_000,
        }),
    }),
    [add, common],
  )
}

/** Provides and renders the toasts. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  return (
    <Toast.Provider limit={4}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="fixed right-3 bottom-3 left-3 z-60 flex flex-col gap-2 sm:right-auto sm:w-96 md:left-64">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function ToastList() {
  const { toasts, close } = Toast.useToastManager<ToastData>()
  const { common } = useText()
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className="flex animate-appear items-start gap-2.5 rounded-xl border border-line bg-surface p-3 text-sm shadow-raised"
    >
      {toast.type === 'problem' ? (
        <CircleAlert size={18} className="mt-px shrink-0 text-bad" aria-hidden />
      ) : (
        <CircleCheck size={18} className="mt-px shrink-0 text-good" aria-hidden />
      )}
      <Toast.Title className="min-w-0 flex-1 wrap-anywhere" />
      {toast.data?.undo !== undefined && (
        <Button
          size="small"
          onClick={() => {
            toast.data?.undo?.()
            close(toast.id)
          }}
        >
          {common.undo}
        </Button>
      )}
      <Toast.Close render={<IconButton label={common.close} className="-m-1" />}>
        <X size={14} aria-hidden />
      </Toast.Close>
    </Toast.Root>
  ))
}
