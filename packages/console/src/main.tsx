import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { pageSecret } from './api/page-secret.ts'
import { askForSession, createQueryClient } from './api/queries.ts'
import { router } from './app/router.tsx'
import { SignedIn } from './app/session.tsx'
import { ProofProvider } from './parts/forms/fresh-proof.tsx'
import { ToastProvider } from './parts/toasts.tsx'
import { TextProvider } from './text/text-provider.tsx'
import './style.css'

const client = createQueryClient()
// Asked first: the files of the page take every connection. Without the secret there is no session to ask for.
if (pageSecret() !== undefined) askForSession(client)
// The code of the page loads while the session is checked.
void router.load()

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    {/* The gateway's content security policy allows no style elements. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={client}>
        <TextProvider>
          <ToastProvider>
            <ProofProvider>
              <SignedIn>
                <RouterProvider router={router} />
              </SignedIn>
            </ProofProvider>
          </ToastProvider>
        </TextProvider>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
