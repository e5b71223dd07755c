import { Link, type LinkProps } from '@tanstack/react-router'
import type { TokenExplanation } from '@tooldex/contract/admin'
import { CircleCheck, CircleX } from 'lucide-react'
import { useApi } from '../api/queries.ts'
import { Badge } from '../parts/badge.tsx'
import { Loaded } from '../parts/states.tsx'
import { ToolPicker } from '../parts/tool-picker.tsx'
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
        <div className="flex flex-col gap-3" aria-live="polite">
          <Badge tone={allowed ? 'good' : 'bad'}>{allowed ? words.can : words.cannot}</Badge>
          {projects.map((project) => (
            <ProjectSteps key={project.project} explained={project} token={token} tool={tool} />
          ))}
        </div>
      )}
    </Loaded>
  )
}

type Explained = TokenExplanation['projects'][number]

/** The obstacles in a project; all checks on demand. */
function ProjectSteps({
  explained,
  token,
  tool,
}: {
  readonly explained: Explained
  readonly token: string
  readonly tool: string
}) {
  const { tokens: words } = useText()
  const { project, name, steps, allowed } = explained
  const obstacles = steps.filter(({ ok }) => !ok)
  return (
    <section className="rounded-xl border border-line p-4">
      <h3 className="mb-2 flex flex-wrap items-center gap-2 text-sm font-medium">
        {allowed ? (
          <CircleCheck size={17} className="shrink-0 text-good" aria-hidden />
        ) : (
          <CircleX size={17} className="shrink-0 text-bad" aria-hidden />
        )}
        <UntrustedText>{words.through(name)}</UntrustedText>
      </h3>
      {obstacles.length > 0 && (
        <ol className="flex flex-col gap-2">
          {obstacles.map((step) => (
            <StepLine key={step.question} step={step} project={project} token={token} tool={tool} />
          ))}
        </ol>
      )}
      <details className="mt-1 text-sm">
        <summary className="w-fit cursor-pointer rounded text-[13px] text-soft hover:text-text">
          {words.allChecks(steps.length)}
        </summary>
        <ol className="mt-2 flex flex-col gap-2">
          {steps.map((step) => (
            <StepLine key={step.question} step={step} project={project} token={token} tool={tool} />
          ))}
        </ol>
      </details>
    </section>
  )
}

interface StepLineProps {
  readonly step: Explained['steps'][number]
  readonly project: string
  readonly token: string
  readonly tool: string
}

function StepLine({ step, ...place }: StepLineProps) {
  return (
    <li className="flex gap-2.5 text-sm">
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
          <Link
            {...pageOf(step.page, place)}
            className="block w-fit text-accent-strong underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
          >
            <UntrustedText>{step.remedy}</UntrustedText>
          </Link>
        )}
      </span>
    </li>
  )
}

/** Where the remedy is at hand. */
function pageOf(
  page: Explained['steps'][number]['page'],
  { project, token, tool }: Omit<StepLineProps, 'step'>,
): Pick<LinkProps, 'to' | 'params' | 'search'> {
  switch (page) {
    case 'project':
      return { to: '/projects/$project', params: { project } }
    case 'server':
      return { to: '/servers/$server', params: { server: tool.split(':', 1)[0] ?? '' } }
    case 'tool':
      return { to: '/tools/$tool', params: { tool } }
    case 'review':
      return { to: '/review' }
    case 'token':
    case undefined:
      return { to: '/tokens/$token', params: { token }, search: { tool } }
  }
}
