import { Combobox } from '@base-ui/react/combobox'
import { CircleCheck, CircleX } from 'lucide-react'
import { useDeferredValue, useId, useState } from 'react'
import { useApi } from '../api/queries.ts'
import { Badge } from '../parts/badge.tsx'
import { Loaded } from '../parts/states.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'

/** Every access check between a token and a tool, in order. */
export function ExplainAccess({
  token,
  tool,
  onTool,
}: {
  readonly token: string
  readonly tool: string | undefined
  readonly onTool: (key: string) => void
}) {
  const { tokens: words } = useText()
  return (
    <div className="flex flex-col gap-4 p-5">
      <p className="text-sm text-soft">{words.explainLead}</p>
      <ToolPicker label={words.tool} value={tool} onChoose={onTool} />
      {tool !== undefined && <Steps token={token} tool={tool} />}
    </div>
  )
}

function Steps({ token, tool }: { readonly token: string; readonly tool: string }) {
  const { tokens: words } = useText()
  const answer = useApi('explainToken', { params: { token }, query: { tool } })
  return (
    <Loaded answer={answer}>
      {({ allowed, projects }) => (
        <div className="flex flex-col gap-5" aria-live="polite">
          <Badge tone={allowed ? 'good' : 'bad'}>{allowed ? words.can : words.cannot}</Badge>
          {projects.map((project) => (
            <section key={project.project}>
              <h3 className="mb-2 text-sm font-medium">{words.through(project.project)}</h3>
              <ol className="flex flex-col gap-2">
                {project.steps.map((step) => (
                  <li key={step.question} className="flex gap-2.5 text-sm">
                    {step.ok ? (
                      <CircleCheck size={17} className="mt-0.5 shrink-0 text-good" aria-hidden />
                    ) : (
                      <CircleX size={17} className="mt-0.5 shrink-0 text-bad" aria-hidden />
                    )}
                    <span className="min-w-0 wrap-anywhere">
                      <span className="font-medium">
                        <UntrustedText>{step.question}</UntrustedText>
                      </span>{' '}
                      <span className="text-soft">
                        <UntrustedText>{step.answer}</UntrustedText>
                      </span>
                      {step.remedy !== undefined && (
                        <span className="block text-accent-strong">
                          <UntrustedText>{step.remedy}</UntrustedText>
                        </span>
                      )}
                    </span>
                  </li>
                ))}
              </ol>
            </section>
          ))}
        </div>
      )}
    </Loaded>
  )
}

/** Chooses a tool by searching while typing. */
function ToolPicker({
  label,
  value,
  onChoose,
}: {
  readonly label: string
  readonly value: string | undefined
  readonly onChoose: (key: string) => void
}) {
  const { tokens: words } = useText()
  const id = useId()
  const [typed, setTyped] = useState(value ?? '')
  const asked = useDeferredValue(typed)
  const found = useApi('listTools', { query: { q: asked, limit: '20' } }, { placeholderData: (before) => before })
  const keys = (found.data?.items ?? []).map(({ key }) => key)
  return (
    <Combobox.Root
      items={keys}
      filter={null}
      value={value ?? null}
      onValueChange={(key) => key !== null && onChoose(key)}
      inputValue={typed}
      onInputValueChange={setTyped}
    >
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="text-[13px] font-medium">
          {label}
        </label>
        <Combobox.Input
          id={id}
          placeholder={words.toolHint}
          className="h-9.5 w-full rounded-lg border border-line-strong/60 bg-surface px-3 font-mono text-[13px] placeholder:text-faint"
        />
      </div>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} className="z-50">
          <Combobox.Popup className="max-h-72 w-(--anchor-width) overflow-y-auto rounded-xl border border-line bg-surface p-1 text-[13px] shadow-raised">
            <Combobox.List>
              {(key: string) => (
                <Combobox.Item
                  key={key}
                  value={key}
                  className="cursor-pointer truncate rounded-lg px-2.5 py-1.5 font-mono data-highlighted:bg-sunken"
                >
                  <UntrustedText>{key}</UntrustedText>
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}
