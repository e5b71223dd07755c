import { queryOptions, usePrefetchQuery, useQuery } from '@tanstack/react-query'
import type { AdminProject, AdminTool, AdminToolUsage, RouteAnswer } from '@tooldex/contract/admin'
import { Pencil, SearchX, Wrench } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { call } from '../api/call.ts'
import type { ApiProblem } from '../api/problem.ts'
import { useApi, useEarly } from '../api/queries.ts'
import { Badge, FileNote } from '../parts/badge.tsx'
import { Button, IconButton } from '../parts/button.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { plainText } from '../parts/invisible-characters.ts'
import { useRefusal } from '../parts/role.tsx'
import { EmptyState, Loaded } from '../parts/states.tsx'
import { BareSwitch } from '../parts/switch.tsx'
import { type Column, RowLink, RowName, Table } from '../parts/table.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { type Text, useText } from '../text/text.ts'
import type { OverridePatch } from '../tools/tool-override.ts'
import { allowPatch, permissionIn } from '../tools/tool-permission.ts'
import { useProjectTools } from '../tools/use-project-tools.ts'
import { ToolInProjectDialog } from './tool-in-project-dialog.tsx'

/** The tools of a project, with their permission, use and cost there; many can be changed at once. */
export function ProjectTools({ project }: { readonly project: AdminProject }) {
  const { projects: words } = useText()
  const tools = useQuery(allTools(project.id))
  return (
    <>
      {project.managedBy === 'file' && (
        <div className="px-5 pt-4">
          <FileNote entry={project} />
        </div>
      )}
      <Loaded answer={{ data: tools.data, error: tools.error, refetch: tools.refetch }}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon={<Wrench size={24} aria-hidden />} title={words.noTools} />
          ) : (
            <ToolTable project={project} tools={items} />
          )
        }
      </Loaded>
    </>
  )
}

const PAGE = 1_000

/** All tools of a project: the table sorts and searches them at once. */
function allTools(project: string) {
  return queryOptions<RouteAnswer<'listTools'>, ApiProblem>({
    queryKey: ['listTools', { project, all: true }],
    queryFn: async ({ signal }) => {
      const items: AdminTool[] = []
      for (let cursor: string | undefined; ; ) {
        const query = { project, limit: PAGE, ...(cursor !== undefined && { cursor }) }
        const page = await call('listTools', { query, signal })
        items.push(...page.items)
        cursor = page.nextCursor
        if (cursor === undefined) return { items, total: items.length }
      }
    },
  })
}

/** Asks for what the table of tools reads. */
export function useToolsEarly(project: string): void {
  usePrefetchQuery(allTools(project))
  useEarly('getUsage', { query: { project } })
}

interface ShownTool {
  readonly tool: AdminTool
  readonly entry: AdminTool['projects'][number]
  readonly use: AdminToolUsage | undefined
}

type State = 'all' | 'allowed' | 'denied' | 'changed'

function ToolTable({ project, tools }: { readonly project: AdminProject; readonly tools: readonly AdminTool[] }) {
  const text = useText()
  const { projects: words } = text
  const [typed, setTyped] = useState('')
  const [state, setState] = useState<State>('all')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [edited, setEdited] = useState<string>()
  const asked = useDeferredValue(typed.trim().toLowerCase())
  const usage = useApi('getUsage', { query: { project: project.id } }).data?.tools
  const change = useProjectTools(project.id)
  const isAllowList = project.config.allow === 'only'
  const refusal = useRefusal('changeProjectTools')
  const isFixed = project.managedBy === 'file' || refusal !== undefined
  const shown = useMemo(() => shownTools(tools, project.id, usage), [tools, project.id, usage])
  const found = useMemo(() => shown.filter((each) => fits(each, asked, state)), [shown, asked, state])
  const columns = useMemo(
    () =>
      columnsIn(text, {
        isFixed,
        onEdit: setEdited,
        onAllow: (tool, isOn) => change([tool], allowPatch(isOn, isAllowList)),
      }),
    [text, isFixed, isAllowList, change],
  )
  const selected = found.filter(({ tool }) => chosen.has(tool.key)).map(({ tool }) => tool)
  const editedTool = shown.find(({ tool }) => tool.key === edited)
  return (
    <>
      <search className="flex flex-wrap items-end gap-3 px-5 py-4" aria-label={words.findTools}>
        <TextField
          className="min-w-48 flex-1"
          label={words.findTools}
          hideLabel
          type="search"
          placeholder={words.findTools}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <SelectField
          className="w-44"
          label={words.state}
          hideLabel
          value={state}
          choices={(['all', 'allowed', 'denied', 'changed'] as const).map((value) => ({
            value,
            label: words.toolStates[value],
          }))}
          onChoose={setState}
        />
      </search>
      <div
        role="status"
        className="flex min-h-11 flex-wrap items-center gap-2 border-y border-line bg-sunken/50 px-5 py-1.5"
      >
        <span className="mr-auto text-[13px] text-soft tabular-nums">
          {selected.length === 0 ? words.toolsFound(found.length, shown.length) : words.chosen(selected.length)}
        </span>
        {selected.length > 0 && !isFixed && (
          <BulkActions isAllowList={isAllowList} onChange={(patch) => change(selected, patch)} />
        )}
      </div>
      {found.length === 0 ? (
        <EmptyState icon={<SearchX size={24} aria-hidden />} title={words.noToolsFit} />
      ) : (
        <Table
          caption={words.tools}
          rows={found}
          columns={columns}
          rowKey={({ tool }) => tool.key}
          rowHeight={ROW_HEIGHT}
          isDimmed={({ entry }) => !permissionIn(entry).isOn}
          {...(!isFixed && {
            selection: {
              chosen,
              onChange: setChosen,
              labelOf: ({ tool }: ShownTool) => words.choose(plainText(tool.name)),
              all: words.chooseAll,
            },
          })}
        />
      )}
      {editedTool !== undefined && <ToolInProjectDialog {...editedTool} onClose={() => setEdited(undefined)} />}
    </>
  )
}

const ROW_HEIGHT = 57

/** What can be done with all chosen tools. */
function BulkActions({
  isAllowList,
  onChange,
}: {
  readonly isAllowList: boolean
  readonly onChange: (patch: OverridePatch) => void
}) {
  const { projects: words } = useText()
  const actions: readonly [string, OverridePatch][] = [
    [words.bulk.allow, allowPatch(true, isAllowList)],
    [words.bulk.deny, allowPatch(false, isAllowList)],
    [words.bulk.pin, { pinned: true }],
    [words.bulk.unpin, { unset: ['pinned'] }],
    [words.bulk.defer, { deferLoading: true }],
    [words.bulk.undefer, { unset: ['deferLoading'] }],
    [words.bulk.reset, { unset: ['pinned', 'deferLoading', 'allowed', 'name', 'description'] }],
  ]
  return actions.map(([label, patch]) => (
    <Button key={label} size="small" onClick={() => onChange(patch)}>
      {label}
    </Button>
  ))
}

function shownTools(
  tools: readonly AdminTool[],
  project: string,
  usage: readonly AdminToolUsage[] | undefined,
): readonly ShownTool[] {
  const uses = new Map((usage ?? []).map((use) => [use.tool, use]))
  return tools.flatMap((tool) => {
    const entry = tool.projects.find((each) => each.project === project)
    return entry === undefined ? [] : [{ tool, entry, use: uses.get(tool.key) }]
  })
}

function fits({ tool, entry }: ShownTool, asked: string, state: State): boolean {
  const { isOn } = permissionIn(entry)
  if (state === 'allowed' && !isOn) return false
  if (state === 'denied' && isOn) return false
  if (state === 'changed' && entry.override === undefined) return false
  if (asked === '') return true
  const words = `${tool.key} ${tool.serverName} ${entry.override?.name ?? ''} ${tool.title ?? ''} ${tool.description ?? ''}`
  return asked.split(/\s+/).every((word) => words.toLowerCase().includes(word))
}

interface ColumnParts {
  readonly isFixed: boolean
  readonly onEdit: (tool: string) => void
  readonly onAllow: (tool: AdminTool, allowed: boolean) => void
}

function columnsIn(
  { projects: words, tools: toolWords, servers, common }: Text,
  parts: ColumnParts,
): readonly Column<ShownTool>[] {
  return [
    {
      id: 'name',
      title: words.tool,
      className: 'w-full max-w-0',
      sortBy: ({ tool, entry }) => entry.override?.name ?? tool.name,
      cell: (shown) => <ToolName {...shown} />,
    },
    {
      id: 'state',
      title: words.state,
      sortBy: ({ entry }) => Number(permissionIn(entry).isOn),
      cell: ({ tool, entry }) => {
        const { isOn, isOffGlobally } = permissionIn(entry)
        return (
          <BareSwitch
            aria-label={servers.allow(plainText(tool.name))}
            needs="changeProjectTools"
            checked={isOn}
            disabled={parts.isFixed || isOffGlobally}
            title={isOffGlobally ? toolWords.offGlobally : undefined}
            onChange={(allowed) => parts.onAllow(tool, allowed)}
          />
        )
      },
    },
    {
      id: 'calls',
      title: <span title={words.usedHint}>{words.used}</span>,
      align: 'right',
      from: 'lg',
      sortBy: ({ use }) => use?.calls ?? 0,
      cell: ({ use }) => (use === undefined ? '–' : use.calls.toLocaleString()),
    },
    {
      id: 'errors',
      title: words.errors,
      align: 'right',
      from: 'lg',
      sortBy: ({ use }) => use?.errors ?? 0,
      cell: ({ use }) =>
        use === undefined || use.errors === 0 ? '–' : <span className="text-bad">{use.errors.toLocaleString()}</span>,
    },
    {
      id: 'tokens',
      title: <span title={common.tokensHint}>{servers.tokens}</span>,
      align: 'right',
      from: 'lg',
      sortBy: ({ tool }) => tool.tokens,
      cell: ({ tool }) => tool.tokens.toLocaleString(),
    },
    {
      id: 'edit',
      title: <span className="sr-only">{words.edit}</span>,
      align: 'right',
      cell: ({ tool }) => (
        <IconButton
          needs="changeProjectTool"
          label={words.editTool(plainText(tool.name))}
          onClick={() => parts.onEdit(tool.key)}
        >
          <Pencil size={15} aria-hidden />
        </IconButton>
      ),
    },
  ]
}

function ToolName({ tool, entry }: ShownTool) {
  const { tools: words } = useText()
  const { override } = entry
  return (
    <span className="flex min-w-0 flex-col">
      <RowName>
        <RowLink to="/tools/$tool" params={{ tool: tool.key }}>
          <span className="font-mono text-[13px]">
            <UntrustedText most={100}>{override?.name ?? tool.name}</UntrustedText>
          </span>
        </RowLink>
        {override?.pinned === true && <Badge tone="accent">{words.pinned}</Badge>}
        {entry.deferred && <Badge>{words.deferred}</Badge>}
      </RowName>
      <span className="truncate text-[13px] text-soft">
        <UntrustedText most={60}>{override?.name === undefined ? tool.serverName : tool.key}</UntrustedText>
        {' · '}
        <UntrustedText most={200}>{override?.description ?? tool.description ?? ''}</UntrustedText>
      </span>
    </span>
  )
}
