import { useNavigate, useSearch } from '@tanstack/react-router'
import type { RouteBodyInput } from '@tooldex/contract/admin'
import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import { useState } from 'react'
import { useApi } from '../api/queries.ts'
import { Button } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { plainText } from '../parts/invisible-characters.ts'
import { Card, Page } from '../parts/page.tsx'
import { useRefusal } from '../parts/role.tsx'
import { EmptyState, Loaded, ProblemNote } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useChange } from '../parts/forms/use-change.ts'
import { useText } from '../text/text.ts'

/** The prompts and resources that a project's servers offer, to be looked at and tried. */
export function PromptsPage() {
  const { tryIt: words, common } = useText()
  const navigate = useNavigate()
  const { project = 'default', tab = 'prompts' } = useSearch({ strict: false })
  const projects = useApi('listProjects', {}).data?.items ?? []
  const refusal = useRefusal('askProject')
  const show = (part: Record<string, string>): void =>
    void navigate({ to: '.', search: { project, tab, ...part }, replace: true })
  return (
    <Page
      title={common.pages.prompts}
      lead={words.promptsLead}
      actions={
        <SelectField
          label={words.project}
          hideLabel
          value={project}
          choices={projects.map(({ id, name }) => ({ value: id, label: name }))}
          onChoose={(id) => show({ project: id })}
        />
      }
    >
      {refusal !== undefined ? (
        <Card>
          <EmptyState title={refusal} />
        </Card>
      ) : (
        <Card>
          <Tabs
            label={common.pages.prompts}
            value={tab}
            onChange={(next) => show({ tab: next })}
            tabs={[
              {
                id: 'prompts',
                title: words.prompts,
                content: <Offered key={project} project={project} of="prompts" />,
              },
              {
                id: 'resources',
                title: words.resources,
                content: (
                  <>
                    <Offered key={project} project={project} of="resources" />
                    <Offered key={`${project} templates`} project={project} of="resourceTemplates" />
                  </>
                ),
              },
            ]}
          />
        </Card>
      )}
    </Page>
  )
}

const LISTS = {
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
} as const

function Offered({ project, of }: { readonly project: string; readonly of: keyof typeof LISTS }) {
  const { tryIt: words } = useText()
  const answer = useApi('askProject', { params: { project }, body: { method: LISTS[of] } })
  return (
    <Loaded answer={answer}>
      {({ result }) => {
        const given = result[of]
        const items = Array.isArray(given) ? given.filter(isRecord) : []
        if (items.length === 0 && of === 'resourceTemplates') return null
        if (items.length === 0) {
          return <p className="p-5 text-sm text-soft">{of === 'prompts' ? words.noPrompts : words.noResources}</p>
        }
        return (
          <>
            {of === 'resourceTemplates' && <h2 className="px-5 pt-4 text-sm font-semibold">{words.templates}</h2>}
            <ul className="divide-y divide-line">
              {items.map((item, place) => (
                <li key={`${String(item['name'])} ${place}`}>
                  <Entry item={item} project={project} of={of} />
                </li>
              ))}
            </ul>
          </>
        )
      }}
    </Loaded>
  )
}

interface EntryProps {
  readonly item: JsonObject
  readonly project: string
  readonly of: keyof typeof LISTS
}

/** One prompt or resource; opened, it can be tried. */
function Entry({ item, project, of }: EntryProps) {
  const [isOpen, setIsOpen] = useState(false)
  const uri = item['uri'] ?? item['uriTemplate']
  return (
    <details className="px-5 py-3 text-sm" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer rounded">
        <span className="font-mono text-[13px] font-medium">
          <UntrustedText>{String(item['name'] ?? uri)}</UntrustedText>
        </span>{' '}
        {typeof uri === 'string' && (
          <span className="font-mono text-xs text-faint">
            <UntrustedText most={200}>{uri}</UntrustedText>
          </span>
        )}
        {typeof item['description'] === 'string' && (
          <span className="mt-0.5 block text-[13px] text-soft">
            <UntrustedText most={300}>{item['description']}</UntrustedText>
          </span>
        )}
      </summary>
      {isOpen && <TryEntry item={item} project={project} of={of} />}
    </details>
  )
}

function TryEntry({ item, project, of }: EntryProps) {
  const { tryIt: words, common } = useText()
  const fields = fieldsOf(item, of)
  const [filled, setFilled] = useState<Readonly<Record<string, string>>>(() =>
    of === 'resourceTemplates' ? { uri: String(item['uriTemplate']) } : {},
  )
  const asking = useChange('askProject', { problemToast: false, touches: 'settings' })
  return (
    <form
      className="mt-3 flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        asking.mutate({ params: { project }, body: requestOf(item, of, filled) })
      }}
    >
      {fields.map(({ name, description, isRequired }) => (
        <TextField
          key={name}
          label={isRequired ? `${plainText(name)} (${words.required})` : plainText(name)}
          required={isRequired}
          value={filled[name] ?? ''}
          onChange={({ target: { value } }) => setFilled({ ...filled, [name]: value })}
          {...(description !== '' && { hint: <UntrustedText most={300}>{description}</UntrustedText> })}
        />
      ))}
      <Button kind="primary" type="submit" className="self-start" busy={asking.isPending}>
        {of === 'prompts' ? words.get : words.read}
      </Button>
      <div aria-live="polite" className="flex flex-col gap-2 empty:hidden">
        {asking.error !== null && <ProblemNote problem={asking.error} />}
        {asking.data !== undefined && (
          <>
            <p className="text-[13px] text-faint">
              {words.took(Math.round(asking.data.durationMs), common.tokensUnit(asking.data.tokens))}
            </p>
            <CodeBlock text={JSON.stringify(asking.data.result, null, 2)} what={words.result} most={100_000} />
          </>
        )}
      </div>
    </form>
  )
}

interface PromptField {
  readonly name: string
  readonly description: string
  readonly isRequired: boolean
}

function fieldsOf(item: JsonObject, of: EntryProps['of']): readonly PromptField[] {
  if (of === 'resourceTemplates') return [{ name: 'uri', description: '', isRequired: true }]
  const given = of === 'prompts' && Array.isArray(item['arguments']) ? item['arguments'] : []
  return given.filter(isRecord).map(({ name, description, required }) => ({
    name: String(name),
    description: typeof description === 'string' ? description : '',
    isRequired: required === true,
  }))
}

function requestOf(
  item: JsonObject,
  of: EntryProps['of'],
  filled: Readonly<Record<string, string>>,
): RouteBodyInput<'askProject'> {
  if (of === 'prompts') {
    const given = Object.entries(filled).filter(([, value]) => value !== '')
    return { method: 'prompts/get', params: { name: item['name'], arguments: Object.fromEntries(given) } }
  }
  return { method: 'resources/read', params: { uri: of === 'resources' ? item['uri'] : filled['uri'] } }
}
