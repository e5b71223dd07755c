import { CircleCheck, CircleX } from 'lucide-react'
import { useApi } from '../api/queries.ts'
import { Badge } from '../parts/badge.tsx'
import { Loaded } from '../parts/states.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { ToolPicker } from '../tools/tool-picker.tsx'
import { useText } from '../text/text.ts'

/** Every check between a token and a tool, in the order in which it is made. */
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
