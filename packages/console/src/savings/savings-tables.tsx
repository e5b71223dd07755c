import type { ClientSaving, EndpointSaving, LoadedTokens, ProjectSaving } from '@tooldex/contract/admin'
import type { ReactNode } from 'react'
import { EntryName } from '../audit/entry-name.tsx'
import { Badge } from '../parts/badge.tsx'
import { classNames } from '../parts/class-names.ts'
import { type Column, Table } from '../parts/table.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { choiceName } from '../projects/setting-words.ts'
import { type Text, useText } from '../text/text.ts'

interface Row {
  readonly loaded: LoadedTokens
  readonly breakEven?: ClientSaving['breakEven'] | undefined
}

/** The tokens loaded by each client. A client is a program with a token. */
export function ClientSavings({ items }: { readonly items: readonly ClientSaving[] }) {
  const { savings: words } = useText()
  const columns: readonly Column<ClientSaving>[] = [
    {
      id: 'client',
      title: words.client,
      cell: ({ client, tokenId, tokenName }) => (
        <>
          <span className="font-medium">
            {client === undefined ? words.unnamed : <UntrustedText most={60}>{client}</UntrustedText>}
          </span>
          <div className="text-[13px] text-soft sm:hidden">
            <EntryName kind="token" id={tokenId} name={tokenName} />
          </div>
        </>
      ),
    },
    {
      id: 'token',
      title: words.token,
      from: 'sm',
      cell: ({ tokenId, tokenName }) => <EntryName kind="token" id={tokenId} name={tokenName} />,
    },
    { id: 'endpoint', title: words.endpoint, from: 'lg', cell: ({ endpoint }) => endpoint },
    {
      id: 'project',
      title: words.project,
      from: 'sm',
      cell: ({ project, projectName }) => <EntryName kind="project" id={project} name={projectName} />,
    },
    ...useLoadedColumns<ClientSaving>(),
  ]
  const key = ({ client, tokenId, endpoint, project }: ClientSaving): string =>
    JSON.stringify([client, tokenId, endpoint, project])
  return <Table caption={words.byClient} rows={items} columns={columns} rowKey={key} />
}

/** The tokens loaded by the clients of each project. */
export function ProjectSavings({ items }: { readonly items: readonly ProjectSaving[] }) {
  const { savings: words } = useText()
  const columns: readonly Column<ProjectSaving>[] = [
    {
      id: 'project',
      title: words.project,
      cell: ({ project, projectName }) => (
        <span className="font-medium">
          <EntryName kind="project" id={project} name={projectName} />
        </span>
      ),
    },
    ...useLoadedColumns<ProjectSaving>(),
  ]
  return <Table caption={words.byProject} rows={items} columns={columns} rowKey={({ project }) => project} />
}

/** The current list of each endpoint, and the tokens loaded by its clients. */
export function EndpointSavings({ items }: { readonly items: readonly EndpointSaving[] }) {
  const { savings: words, projects } = useText()
  const columns: readonly Column<EndpointSaving>[] = [
    { id: 'endpoint', title: words.endpoint, cell: ({ endpoint }) => <span className="font-medium">{endpoint}</span> },
    {
      id: 'exposure',
      title: words.exposure,
      from: 'sm',
      cell: ({ exposure }) => <Badge>{choiceName(projects.optimization.exposures, exposure)}</Badge>,
    },
    {
      id: 'now',
      title: words.listed,
      align: 'right',
      cell: ({ tokensListed, tokensIfAllWereListed }) => (
        <span className="tabular-nums">
          {tokensListed.toLocaleString()} / {tokensIfAllWereListed.toLocaleString()}
        </span>
      ),
    },
    ...useLoadedColumns<EndpointSaving>(),
  ]
  return <Table caption={words.byEndpoint} rows={items} columns={columns} rowKey={({ endpoint }) => endpoint} />
}

/** The columns that all tables share. */
function useLoadedColumns<Each extends Row>(): readonly Column<Each>[] {
  const { savings: words } = useText()
  return [
    {
      id: 'lists',
      title: words.lists,
      align: 'right',
      from: 'lg',
      cell: ({ loaded }) => loaded.lists.toLocaleString(),
    },
    {
      id: 'all',
      title: words.ifAll,
      align: 'right',
      from: 'lg',
      cell: ({ loaded }) => loaded.tokensIfAllWereListed.toLocaleString(),
    },
    { id: 'loaded', title: words.loaded, align: 'right', from: 'lg', cell: ({ loaded }) => loadedText(loaded, words) },
    {
      id: 'saved',
      title: words.saved,
      align: 'right',
      cell: ({ loaded, breakEven }) => (
        <>
          <SavedTokens tokens={loaded.tokensSaved} />
          <div className="text-xs text-faint sm:hidden">
            {words.breakEven} <BreakEven breakEven={breakEven} />
          </div>
        </>
      ),
    },
    {
      id: 'even',
      title: <span title={words.breakEvenHint}>{words.breakEven}</span>,
      align: 'right',
      from: 'sm',
      cell: ({ breakEven }) => <BreakEven breakEven={breakEven} />,
    },
  ]
}

function BreakEven({ breakEven }: Pick<Row, 'breakEven'>) {
  const { savings: words, common } = useText()
  if (breakEven === undefined) return <span title={words.neverHint}>{words.never}</span>
  const { searches, tokensPerSearch, isMeasured } = breakEven
  return <span title={words.perSearch(common.tokensUnit(tokensPerSearch), isMeasured)}>{words.searches(searches)}</span>
}

/** The sum, with its parts on hover. */
function loadedText(loaded: LoadedTokens, words: Text['savings']): ReactNode {
  const { tokensOfLists, tokensOfSearches, tokensOfSchemas } = loaded
  const parts = [
    `${words.lists} ${tokensOfLists.toLocaleString()}`,
    `${words.ofSearches} ${tokensOfSearches.toLocaleString()}`,
    `${words.ofSchemas} ${tokensOfSchemas.toLocaleString()}`,
  ]
  return (
    <span className="tabular-nums" title={parts.join(' + ')}>
      {(tokensOfLists + tokensOfSearches + tokensOfSchemas).toLocaleString()}
    </span>
  )
}

/** The saved tokens, or the extra cost in words, not by colour or sign alone. */
function SavedTokens({ tokens }: { readonly tokens: number }) {
  const { savings: words, common } = useText()
  if (tokens === 0) return <span className="text-soft">{words.even}</span>
  return (
    <span className={classNames('font-medium tabular-nums', tokens < 0 ? 'text-bad' : 'text-good')}>
      {tokens < 0 ? words.costs(common.tokensUnit(-tokens)) : common.tokensUnit(tokens)}
    </span>
  )
}
