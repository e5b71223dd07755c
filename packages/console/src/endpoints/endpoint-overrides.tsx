import type { AdminEndpoint } from '@tooldex/contract/admin'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { useApi } from '../api/queries.ts'
import { ChangeForm } from '../parts/change-form.tsx'
import { SelectField } from '../parts/field.tsx'
import { FileNote } from '../parts/file-badge.tsx'
import { Switch } from '../parts/switch.tsx'
import { disclosurePatch, draftOf, SETTINGS } from '../projects/disclosure-draft.ts'
import { DisclosureForm } from '../projects/disclosure-form.tsx'
import { DisclosurePreview } from '../projects/disclosure-preview.tsx'
import { useText } from '../text/text.ts'

/** What an endpoint says over its project, with what agents would see before it is saved. */
export function EndpointOverrides({ endpoint }: { readonly endpoint: AdminEndpoint }) {
  const { endpoints: words } = useText()
  const projects = useApi('listProjects', {}).data?.items ?? []
  const [before] = useState(endpoint)
  const [project, setProject] = useState(endpoint.project)
  const [auth, setAuth] = useState(endpoint.auth)
  const [transparent, setTransparent] = useState(endpoint.transparent)
  const [draft, setDraft] = useState(() => draftOf(endpoint.settings, 'endpoint'))
  const params = { endpoint: endpoint.id }
  const takeBack = useChange('changeEndpoint', { done: ({ id }) => words.saved(id) })
  const change = useChange('changeEndpoint', {
    tellsProblems: false,
    done: ({ id }) => words.saved(id),
    undo:
      ({ config, revision }) =>
      () => {
        const said = disclosurePatch(draftOf(before.settings, 'endpoint'), config, 'endpoint')
        const body = { ...said, project: before.project, auth: before.auth, transparent: before.transparent }
        takeBack.mutate({ params, body, ifMatch: revision })
      },
  })
  const disclosure = disclosurePatch(draft, endpoint.config, 'endpoint')
  const isFixed = endpoint.managedBy === 'file'
  const save = (): void => {
    const body = { ...disclosure, project, auth, transparent }
    change.mutate({ params, body, ifMatch: endpoint.revision })
  }
  return (
    <ChangeForm
      className="p-5"
      change={change}
      fields={['project', 'auth', 'transparent', ...SETTINGS]}
      submit={words.save}
      isFixed={isFixed}
      onSubmit={save}
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
                onChoose={setProject}
                problem={problemOf('project')}
              />
              <SelectField
                label={words.auth}
                value={auth}
                choices={(['token', 'none'] as const).map((value) => ({ value, label: words.auths[value] }))}
                onChoose={setAuth}
                problem={problemOf('auth')}
              />
            </div>
            <DisclosureForm
              here="endpoint"
              draft={draft}
              inherited={endpoint.settings}
              onChange={setDraft}
              problemOf={problemOf}
            />
            <Switch
              label={words.transparent}
              hint={words.transparentHint}
              problem={problemOf('transparent')}
              checked={transparent}
              onChange={setTransparent}
            />
          </fieldset>
          <DisclosurePreview project={project} asked={{ endpoint: disclosure, endpointId: endpoint.id }} />
        </>
      )}
    </ChangeForm>
  )
}
