import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { AdminToolDetail } from '@tooldex/contract/admin'
import { useApi } from '../api/queries.ts'
import { UsageFigures } from '../audit/usage-figures.tsx'
import { Badge } from '../parts/badge.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Loaded } from '../parts/states.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { plainText } from '../parts/invisible-characters.ts'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { fieldsOf, type SchemaField } from './schema-fields.ts'
import { hintsOf } from './tool-hints.ts'
import { ToolPermissions } from './tool-permissions.tsx'
import { TryTool } from '../try/try-tool.tsx'

/** One tool: its definition, its permissions, and a form to try it. */
export function ToolPage() {
  const { tool: key } = useParams({ from: '/tools/$tool' })
  const tool = useApi('getTool', { params: { tool: key } })
  return (
    <Page
      title={<span className="font-mono text-lg">{<UntrustedText>{key}</UntrustedText>}</span>}
      tabTitle={key}
      among="tools"
    >
      <Loaded answer={tool}>{(loaded) => <Body tool={loaded} />}</Loaded>
    </Page>
  )
}

function Body({ tool }: { readonly tool: AdminToolDetail }) {
  const { tools: words, common } = useText()
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <Link to="/servers/$server" params={{ server: tool.server }}>
          <Badge tone="accent">
            <UntrustedText>{tool.serverName}</UntrustedText>
          </Badge>
        </Link>
        {hintsOf(tool.annotations).map(({ name, tone }) => (
          <Badge key={name} tone={tone}>
            {words.hints[name]}
          </Badge>
        ))}
        <Badge title={common.tokensHint}>{common.tokensUnit(tool.tokens)}</Badge>
        {tool.repairs.length > 0 && (
          <Badge tone="warn" title={plainText(tool.repairs.join(' '))}>
            {words.repairs}
          </Badge>
        )}
      </div>
      <UsageFigures tool={tool.key} />
      <div className="grid items-start gap-5 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-5">
          <Card title={words.description}>
            <p className="p-5 text-sm whitespace-pre-wrap">
              {tool.description === undefined || tool.description === '' ? (
                words.noDescription
              ) : (
                <UntrustedText>{tool.description}</UntrustedText>
              )}
            </p>
          </Card>
          <Card>
            <Definition tool={tool} />
          </Card>
          <Card title={words.permission}>
            <ToolPermissions tool={tool} />
          </Card>
        </div>
        <Card title={words.tryIt}>
          <TryTool key={tool.key} tool={tool} />
        </Card>
      </div>
    </>
  )
}

function Definition({ tool }: { readonly tool: AdminToolDetail }) {
  const { tools: words } = useText()
  const { tab = 'input' } = useSearch({ strict: false })
  const navigate = useNavigate()
  const { inputSchema, outputSchema } = tool.definition
  const json = JSON.stringify(tool.definition, null, 2)
  return (
    <Tabs
      label={words.schema}
      value={tab}
      onChange={(next) => void navigate({ to: '.', search: { tab: next }, replace: true })}
      tabs={[
        { id: 'input', title: words.schema, content: <SchemaTable schema={inputSchema} caption={words.schema} /> },
        ...(outputSchema === undefined
          ? []
          : [
              {
                id: 'output',
                title: words.output,
                content: <SchemaTable schema={outputSchema} caption={words.output} />,
              },
            ]),
        {
          id: 'raw',
          title: words.raw,
          content: (
            <div className="p-4">
              <CodeBlock text={json} what={words.raw} most={50_000} />
            </div>
          ),
        },
      ]}
    />
  )
}

/** The parameters of a tool. */
function SchemaTable({ schema, caption }: { readonly schema: unknown; readonly caption: string }) {
  const { tools: words } = useText()
  const fields = fieldsOf(schema)
  if (fields.length === 0) return <p className="p-5 text-sm text-soft">{words.noArguments}</p>
  const columns: readonly Column<SchemaField>[] = [
    {
      id: 'name',
      title: words.parameter,
      cell: ({ name, isRequired }) => (
        <span className="flex flex-wrap items-center gap-2 font-mono text-[13px]">
          <UntrustedText>{name}</UntrustedText>
          {isRequired && <Badge tone="accent">{words.required}</Badge>}
        </span>
      ),
    },
    {
      id: 'type',
      title: words.type,
      cell: ({ type }) => (
        <span className="font-mono text-[13px] text-soft">{<UntrustedText most={80}>{type}</UntrustedText>}</span>
      ),
    },
    {
      id: 'description',
      title: words.description,
      from: 'sm',
      cell: ({ description }) => <UntrustedText most={600}>{description}</UntrustedText>,
    },
  ]
  return <Table caption={caption} rows={fields} columns={columns} rowKey={({ name }) => name} />
}
