import { Link } from '@tanstack/react-router'
import type { AdminSettings, AdminToken, ImportPlan } from '@tooldex/contract/admin'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { addressOf, download } from '../api/call.ts'
import { ApiProblem } from '../api/problem.ts'
import { useApi } from '../api/queries.ts'
import { Badge, StateBadge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { ChangeForm, editing } from '../parts/forms/change-form.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { JsonField } from '../parts/json/json-field.tsx'
import { LeaveGuard } from '../parts/forms/leave-guard.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Guarded, RoleNote, useRefusal } from '../parts/role.tsx'
import { Loaded, ProblemNote } from '../parts/states.tsx'
import { type Column, RowLink, RowName, Table } from '../parts/table.tsx'
import { RelativeTime } from '../parts/time.tsx'
import { useToasts } from '../parts/toasts.tsx'
import { useChange } from '../parts/forms/use-change.ts'
import { useEditForm } from '../parts/forms/use-edit-form.ts'
import { type Text, useText } from '../text/text.ts'

/** The settings of the whole gateway. */
export function SettingsPage() {
  const { settings: words, common } = useText()
  return (
    <Page title={common.pages.settings} lead={words.lead}>
      <div className="grid items-start gap-5 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-5">
          <Card title={words.people}>
            <People />
          </Card>
          <Card title={words.trust}>
            <Loaded answer={useApi('getSettings', {})}>{(loaded) => <TrustForm loaded={loaded} />}</Loaded>
          </Card>
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <Card title={words.audit}>
            <AuditRetention />
          </Card>
          <Card title={words.store}>
            <StoreHealth />
          </Card>
        </div>
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
  return <Loaded answer={settings}>{(loaded) => <RetentionForm loaded={loaded} />}</Loaded>
}

function RetentionForm({ loaded }: { readonly loaded: AdminSettings }) {
  const { settings: words, common } = useText()
  const form = useEditForm('changeSettings', {
    entry: loaded,
    draftOf: ({ settings: { auditKeepDays, auditMaxEntries } }: AdminSettings) => ({ auditKeepDays, auditMaxEntries }),
    patchOf: (limits) => limits,
    at: {},
    entryIn: (answer) => answer,
    touches: 'settings',
  })
  const reset = useChange('changeSettings', { done: () => common.saved, touches: 'settings' })
  const { draft, change } = form
  const isOurs = LIMITS.some((limit) => loaded.from[limit] === 'store')
  return (
    <ChangeForm
      className="max-w-xl p-5"
      fields={LIMITS}
      {...editing(form, (field) => LIMITS.flatMap((limit) => (limit === field ? [words[limit]] : []))[0] ?? field)}
      actions={
        <div className="flex flex-wrap gap-2">
          <Button kind="primary" type="submit" busy={change.isPending}>
            {common.save}
          </Button>
          {isOurs && (
            <Button onClick={() => reset.mutate({ body: { unset: [...LIMITS] }, ifMatch: loaded.revision })}>
              {words.reset}
            </Button>
          )}
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
            onChange={(event) => form.set({ [limit]: event.target.valueAsNumber })}
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
  const refusal = useRefusal('changeSettings')
  return (
    <div className="flex max-w-xl flex-col gap-4 p-5">
      <RoleNote needs="changeSettings" />
      <SelectField
        label={review.trust}
        disabled={refusal !== undefined}
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

/** Who can sign in to this console, with which role. The page of a token changes it. */
function People() {
  const text = useText()
  const { settings: words } = text
  const refusal = useRefusal('createToken')
  return (
    <Loaded answer={useApi('listTokens', {})}>
      {({ items }) => (
        <>
          <p className="px-5 py-4 text-sm text-soft">{words.peopleLead}</p>
          <Table
            caption={words.people}
            rows={items.filter(({ kind }) => kind === 'admin')}
            columns={personColumns(text)}
            rowKey={({ id }) => id}
          />
          {refusal === undefined && (
            <p className="px-5 py-4 text-sm">
              <Link to="/tokens" search={{ add: 'admin' }} className="font-medium text-accent underline">
                {words.addPerson}
              </Link>
            </p>
          )}
        </>
      )}
    </Loaded>
  )
}

function personColumns({ tokens, common }: Text): readonly Column<AdminToken>[] {
  return [
    {
      id: 'name',
      title: tokens.name,
      cell: ({ id, name, isExpired }) => (
        <RowName>
          <RowLink to="/tokens/$token" params={{ token: id }}>
            {name}
          </RowLink>
          {isExpired && <Badge tone="bad">{tokens.expired}</Badge>}
        </RowName>
      ),
    },
    { id: 'role', title: common.role, cell: ({ role = 'administrator' }) => common.roles[role] },
    {
      id: 'used',
      title: tokens.lastUsed,
      cell: ({ lastUsedAt }) => (lastUsedAt === undefined ? common.never : <RelativeTime at={lastUsedAt} />),
    },
  ]
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
        needs="exportAll"
        icon={<Download size={15} aria-hidden />}
        onClick={() => {
          download(addressOf('exportAll', {}), 'tooldex-export.json').catch((problem: ApiProblem) =>
            toasts.problem(problem),
          )
        }}
      >
        {words.export}
      </Button>
      <Guarded needs="importAll">
        <JsonField
          label={words.import}
          hint={words.importLead}
          value={text}
          problem={badJson}
          onText={(typed) => {
            setText(typed)
            setBadJson(undefined)
            check.reset()
          }}
        />
      </Guarded>
      {problem instanceof ApiProblem && <ProblemNote problem={problem} />}
      {plan !== undefined && <Plan plan={plan} />}
      <div className="flex gap-2">
        <Button
          needs="importAll"
          disabled={text.trim() === ''}
          busy={check.isPending}
          onClick={() => send(check, 'true')}
        >
          {words.check}
        </Button>
        {plan !== undefined && plan.problems.length === 0 && (
          <Button kind="primary" busy={apply.isPending} onClick={() => send(apply, 'false')}>
            {words.apply}
          </Button>
        )}
      </div>
      <LeaveGuard isChanged={text.trim() !== '' && !apply.isSuccess} />
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
