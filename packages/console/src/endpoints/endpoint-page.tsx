import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { AdminEndpoint, EffectiveSettings } from '@tooldex/contract/admin'
import { useApi } from '../api/queries.ts'
import { Badge, FileBadge, FileNote } from '../parts/badge.tsx'
import { ChangeForm, editing } from '../parts/forms/change-form.tsx'
import { CopyButton } from '../parts/code-block.tsx'
import { SelectField } from '../parts/field.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Removal } from '../parts/dialog.tsx'
import { Loaded } from '../parts/states.tsx'
import { Switch } from '../parts/switch.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { useChange } from '../parts/forms/use-change.ts'
import { useEditForm } from '../parts/forms/use-edit-form.ts'
import { type DisclosureDraft, disclosurePatch, draftOf, SETTINGS } from '../projects/disclosure-draft.ts'
import { DisclosureForm } from '../projects/disclosure-form.tsx'
import { DisclosurePreview } from '../projects/disclosure-preview.tsx'
import { settingWords, useConflictWords } from '../projects/setting-words.ts'
import { useText } from '../text/text.ts'
import { ConnectSnippets } from '../connect/connect-snippets.tsx'

/** One endpoint: how to connect, its overrides, and its effective settings. */
export function EndpointPage() {
  const { endpoint: id } = useParams({ from: '/endpoints/$endpoint' })
  const { client } = useSearch({ strict: false })
  const navigate = useNavigate()
  const { endpoints: words } = useText()
  const endpoint = useApi('getEndpoint', { params: { endpoint: id } })
  return (
    <Page
      title={id}
      among="endpoints"
      lead={endpoint.data !== undefined && <Address path={endpoint.data.path} />}
      actions={endpoint.data?.managedBy === 'store' && <Remove endpoint={endpoint.data} />}
    >
      <Loaded answer={endpoint}>
        {(loaded) => (
          <>
            <Card title={words.connect}>
              <ConnectSnippets
                key={id}
                endpoint={id}
                client={client}
                onClient={(next) => void navigate({ to: '.', search: { client: next }, replace: true })}
              />
            </Card>
            <div className="grid items-start gap-5 xl:grid-cols-2">
              <Card title={words.overrides} actions={<FileBadge entry={loaded} />}>
                <EndpointOverrides key={loaded.id} endpoint={loaded} />
              </Card>
              <Card title={words.effective}>
                <EffectiveSettingsTable settings={loaded.settings} />
              </Card>
            </div>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Address({ path }: { readonly path: string }) {
  const { endpoints: words } = useText()
  const address = location.origin + path
  return (
    <span className="flex items-center gap-1 font-mono text-[13px]">
      <span className="min-w-0 wrap-anywhere">{address}</span>
      <CopyButton text={address} what={words.address} />
    </span>
  )
}

function Remove({ endpoint }: { readonly endpoint: AdminEndpoint }) {
  const { endpoints: words } = useText()
  const navigate = useNavigate()
  const remove = useChange('removeEndpoint', {
    done: () => words.removed(endpoint.id),
    onDone: () => void navigate({ to: '/endpoints' }),
  })
  return (
    <Removal
      verb={words.remove}
      needs="removeEndpoint"
      title={words.removeTitle(endpoint.id)}
      consequences={words.removeConsequences}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate({ params: { endpoint: endpoint.id }, ifMatch: endpoint.revision })}
    />
  )
}

interface EndpointDraft extends DisclosureDraft {
  readonly project: string
  readonly auth: AdminEndpoint['auth']
  readonly transparent: boolean
}

/** The overrides of an endpoint, with a preview of what agents would see. */
function EndpointOverrides({ endpoint }: { readonly endpoint: AdminEndpoint }) {
  const { endpoints: words } = useText()
  const conflictWords = useConflictWords()
  const projects = useApi('listProjects', {}).data?.items ?? []
  const form = useEditForm('changeEndpoint', {
    entry: endpoint,
    draftOf: ({ project, auth, transparent, settings }: AdminEndpoint): EndpointDraft => ({
      project,
      auth,
      transparent,
      ...draftOf(settings, 'endpoint'),
    }),
    patchOf: ({ project, auth, transparent, ...disclosure }, { config }) => ({
      project,
      auth,
      transparent,
      ...disclosurePatch(disclosure, config),
    }),
    at: { params: { endpoint: endpoint.id } },
    entryIn: (answer) => answer,
    canUndo: true,
  })
  const { project, auth, transparent } = form.draft
  const isFixed = endpoint.managedBy === 'file'
  const names = { project: words.project, auth: words.auth, transparent: words.transparent }
  return (
    <ChangeForm
      className="p-5"
      fields={['project', 'auth', 'transparent', ...SETTINGS]}
      submit={words.save}
      isFixed={isFixed}
      {...editing(form, conflictWords.nameOf(names), conflictWords.wordsOf)}
    >
      {(problemOf) => (
        <>
          <FileNote entry={endpoint} />
          <p className="text-sm text-soft">{words.overridesLead}</p>
          <fieldset disabled={isFixed} className="flex flex-col gap-5">
            <legend className="sr-only">{words.overrides}</legend>
            <div className="grid gap-4 sm:grid-cols-2">
              <SelectField
                label={words.project}
                value={project}
                choices={projects.map(({ id, name }) => ({ value: id, label: name }))}
                onChoose={(chosen) => form.set({ project: chosen })}
                problem={problemOf('project')}
              />
              <SelectField
                label={words.auth}
                value={auth}
                choices={(['token', 'none'] as const).map((value) => ({ value, label: words.auths[value] }))}
                onChoose={(chosen) => form.set({ auth: chosen })}
                problem={problemOf('auth')}
              />
            </div>
            <DisclosureForm
              here="endpoint"
              id={endpoint.id}
              draft={form.draft}
              inherited={endpoint.settings}
              onChange={(disclosure) => form.replace({ ...disclosure, project, auth, transparent })}
              problemOf={problemOf}
            />
            <Switch
              label={words.transparent}
              hint={words.transparentHint}
              problem={problemOf('transparent')}
              checked={transparent}
              onChange={(isOn) => form.set({ transparent: isOn })}
            />
          </fieldset>
          <DisclosurePreview
            project={project}
            asked={{ endpoint: disclosurePatch(form.draft, endpoint.config), endpointId: endpoint.id }}
          />
        </>
      )}
    </ChangeForm>
  )
}

type Name = (typeof SETTINGS)[number]

/** The effective value of every setting, and its source. */
function EffectiveSettingsTable({ settings }: { readonly settings: EffectiveSettings }) {
  const text = useText()
  const { endpoints: words, projects } = text
  const columns: readonly Column<Name>[] = [
    { id: 'setting', title: words.setting, cell: (name) => projects.optimization[name] },
    { id: 'value', title: words.value, cell: (name) => settingWords(name, settings[name].value, text) },
    {
      id: 'from',
      title: words.from,
      cell: (name) => (
        <Badge tone={settings[name].from === 'endpoint' ? 'accent' : 'neutral'}>
          {projects.from[settings[name].from]}
        </Badge>
      ),
    },
  ]
  return <Table caption={words.effective} rows={SETTINGS} columns={columns} rowKey={(name) => name} />
}
