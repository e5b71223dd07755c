import type { AdminSettings, ImportPlan } from '@tooldex/contract/admin'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { addressOf, download } from '../api/call.ts'
import { ApiProblem } from '../api/problem.ts'
import { useApi } from '../api/queries.ts'
import { Badge, StateBadge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { ChangeForm } from '../parts/change-form.tsx'
import { SelectField, TextAreaField, TextField } from '../parts/field.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Loaded, ProblemNote } from '../parts/states.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { RelativeTime } from '../parts/time.tsx'
import { useToasts } from '../parts/toasts.tsx'
import { useChange } from '../parts/use-change.ts'
import { useText } from '../text/text.ts'

/** The settings of the whole gateway. */
export function SettingsPage() {
  const { settings: words, common } = useText()
  return (
    <Page title={common.pages.settings} lead={words.lead}>
      <div className="grid items-start gap-5 xl:grid-cols-2">
        <Card title={words.audit}>
          <AuditRetention />
        </Card>
        <Card title={words.trust}>
          <Loaded answer={useApi('getSettings', {})}>{(loaded) => <TrustForm loaded={loaded} />}</Loaded>
        </Card>
        <Card title={words.store}>
          <StoreHealth />
        </Card>
        <Card title={words.transfer} className="xl:col-span-2">
          <Transfer />
        </Card>
      </div>
    </Page>
  )
}

const LIMITS = ['auditKeepDays', 'auditMaxEntries'] as const
const LEAST = { auditKeepDays: 1, auditMaxEntries: 1_000 }

/** How long audit entries are kept. */
function AuditRetention() {
  const settings = useApi('getSettings', {})
  return <Loaded answer={settings}>{(loaded) => <RetentionForm key={JSON.stringify(loaded)} loaded={loaded} />}</Loaded>
}

function RetentionForm({ loaded }: { readonly loaded: AdminSettings }) {
  const { settings: words, common } = useText()
  const { auditKeepDays, auditMaxEntries } = loaded.settings
  const [draft, setDraft] = useState({ auditKeepDays, auditMaxEntries })
  const change = useChange('changeSettings', {
    problemToast: false,
    done: () => common.saved,
    touches: 'settings',
  })
  const isOurs = LIMITS.some((limit) => loaded.from[limit] === 'store')
  return (
    <ChangeForm
      className="max-w-xl p-5"
      change={change}
      fields={LIMITS}
      onSubmit={() => change.mutate({ body: draft })}
      actions={
        <div className="flex flex-wrap gap-2">
          <Button kind="primary" type="submit" busy={change.isPending}>
            {common.save}
          </Button>
          {isOurs && <Button onClick={() => change.mutate({ body: { unset: [...LIMITS] } })}>{words.reset}</Button>}
        </div>
      }
    >
      {(problemOf) =>
        LIMITS.map((limit) => (
          <TextField
            key={limit}
            label={words[limit]}
            hint={words.from[loaded.from[limit]]}
            type="number"
            min={LEAST[limit]}
            required
            value={Number.isNaN(draft[limit]) ? '' : draft[limit]}
            onChange={(event) => setDraft({ ...draft, [limit]: event.target.valueAsNumber })}
            problem={problemOf(limit)}
          />
        ))
      }
    </ChangeForm>
  )
}

/** What happens when servers change their definitions; saved at once. */
function TrustForm({ loaded }: { readonly loaded: AdminSettings }) {
  const { settings: words, review, common } = useText()
  const change = useChange('changeSettings', { done: () => common.saved, touches: 'settings' })
  const { trust } = loaded.settings
  return (
    <div className="max-w-xl p-5">
      <SelectField
        label={review.trust}
        hint={`${review.trustHint[trust]} ${words.from[loaded.from.trust]}.`}
        value={trust}
        choices={(['standard', 'strict', 'off'] as const).map((value) => ({ value, label: review.trustMode[value] }))}
        onChoose={(chosen) => change.mutate({ body: { trust: chosen } })}
      />
    </div>
  )
}

/** The store: its location and health. */
function StoreHealth() {
  const { settings: words } = useText()
  const health = useApi('getHealth', {})
  return (
    <Loaded answer={health}>
      {({ store }) => (
        <div className="flex flex-col gap-3 p-5 text-sm">
          <StateBadge tone={store.ok ? 'good' : 'bad'}>{store.ok ? words.works : words.broken}</StateBadge>
          <dl className="grid grid-cols-[auto_1fr] gap-x-5 gap-y-1.5">
            <dt className="text-faint">{words.kind}</dt>
            <dd>{words.kinds[store.kind]}</dd>
            <dt className="text-faint">{words.place}</dt>
            <dd className="font-mono text-[13px] wrap-anywhere">{store.place}</dd>
            {store.latestBackupAt !== undefined && (
              <>
                <dt className="text-faint">{words.backup}</dt>
                <dd>
                  <RelativeTime at={store.latestBackupAt} />
                </dd>
              </>
            )}
          </dl>
          {store.problems.length > 0 && (
            <ul className="list-disc pl-5 text-bad">
              {store.problems.map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          )}
        </div>
      )}
    </Loaded>
  )
}

type Entry = ImportPlan['entries'][number]

/** Export and import. An import shows its changes first. */
function Transfer() {
  const { settings: words } = useText()
  const [text, setText] = useState('')
  const [badJson, setBadJson] = useState<string>()
  const toasts = useToasts()
  const check = useChange('importAll', { problemToast: false })
  const apply = useChange('importAll', { problemToast: false, done: () => words.applied, onDone: () => check.reset() })
  const send = (change: typeof check, dryRun: 'true' | 'false'): void => {
    try {
      change.mutate({ query: { dryRun }, body: JSON.parse(text) as Record<string, unknown> })
      setBadJson(undefined)
    } catch (error) {
      setBadJson((error as Error).message)
    }
  }
  const problem = check.error ?? apply.error
  const plan = check.data
  return (
    <div className="flex flex-col gap-4 p-5">
      <p className="text-sm text-soft">{words.transferLead}</p>
      <Button
        className="self-start"
        icon={<Download size={15} aria-hidden />}
        onClick={() => {
          download(addressOf('exportAll', {}), 'tooldex-export.json').catch((problem: ApiProblem) =>
            toasts.problem(problem),
          )
        }}
      >
        {words.export}
      </Button>
      <TextAreaField
        label={words.import}
        hint={words.importLead}
        value={text}
        problem={badJson}
        onChange={(event) => {
          setText(event.target.value)
          check.reset()
        }}
      />
      {problem instanceof ApiProblem && <ProblemNote problem={problem} />}
      {plan !== undefined && <Plan plan={plan} />}
      <div className="flex gap-2">
        <Button disabled={text.trim() === ''} busy={check.isPending} onClick={() => send(check, 'true')}>
          {words.check}
        </Button>
        {plan !== undefined && plan.problems.length === 0 && (
          <Button kind="primary" busy={apply.isPending} onClick={() => send(apply, 'false')}>
            {words.apply}
          </Button>
        )}
      </div>
    </div>
  )
}

function Plan({ plan }: { readonly plan: ImportPlan }) {
  const { settings: words } = useText()
  const columns: readonly Column<Entry>[] = [
    { id: 'entry', title: words.entry, cell: ({ what, id }) => `${words.whats[what]} ${id}` },
    {
      id: 'action',
      title: words.action,
      cell: ({ action, reason }) => (
        <span className="flex flex-wrap items-center gap-2">
          <Badge tone={action === 'refused' ? 'bad' : action === 'unchanged' ? 'neutral' : 'good'}>
            {words.actions[action]}
          </Badge>
          {reason}
        </span>
      ),
    },
  ]
  return (
    <div className="rounded-xl border border-line">
      {plan.problems.map(({ path, message }) => (
        <p key={`${path} ${message}`} className="px-4 py-2 text-sm text-bad">
          {path}: {message}
        </p>
      ))}
      <Table caption={words.import} rows={plan.entries} columns={columns} rowKey={({ what, id }) => `${what} ${id}`} />
    </div>
  )
}
