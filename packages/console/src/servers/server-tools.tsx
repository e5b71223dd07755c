import { Link } from '@tanstack/react-router'
import type { AdminServer, RouteAnswer } from '@tooldex/contract/admin'
import { Wrench } from 'lucide-react'
import { useApi } from '../api/queries.ts'
import { FileNote } from '../parts/badge.tsx'
import { EmptyState, Loaded } from '../parts/states.tsx'
import { BareSwitch } from '../parts/switch.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { plainText } from '../parts/invisible-characters.ts'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { useAllowTool } from '../tools/use-allow-tool.ts'

type ServerTool = RouteAnswer<'serverTools'>['items'][number]

/** The tools of a server, with the global permission of each. */
export function ServerTools({ server }: { readonly server: AdminServer }) {
  const { servers: words } = useText()
  const tools = useApi('serverTools', { params: { server: server.id } })
  return (
    <Loaded answer={tools}>
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState icon={<Wrench size={24} aria-hidden />} title={words.noTools} />
        ) : (
          <>
            {server.managedBy === 'file' && (
              <div className="px-5 pt-4">
                <FileNote entry={server} />
              </div>
            )}
            <ToolTable tools={items} isFixed={server.managedBy === 'file'} />
          </>
        )
      }
    </Loaded>
  )
}

function ToolTable({ tools, isFixed }: { readonly tools: readonly ServerTool[]; readonly isFixed: boolean }) {
  const { servers: words, tools: toolWords, common } = useText()
  const allow = useAllowTool()
  const columns: readonly Column<ServerTool>[] = [
    {
      id: 'name',
      title: words.tools,
      cell: (tool) => (
        <span className="flex flex-col gap-0.5">
          <Link
            to="/tools/$tool"
            params={{ tool: tool.key }}
            className="font-mono text-[13px] font-medium hover:underline max-sm:py-1"
          >
            <UntrustedText>{tool.name}</UntrustedText>
          </Link>
          <span className="line-clamp-2 max-w-3xl text-[13px] text-soft">
            <UntrustedText most={400}>{descriptionOf(tool)}</UntrustedText>
          </span>
        </span>
      ),
    },
    {
      id: 'tokens',
      title: words.tokens,
      align: 'right',
      from: 'sm',
      cell: ({ tokens }) => <span title={common.tokensHint}>{common.tokensUnit(tokens)}</span>,
    },
    {
      id: 'allowed',
      title: toolWords.global,
      cell: (tool) => (
        <BareSwitch
          aria-label={words.allow(plainText(tool.name))}
          needs="changeTool"
          checked={tool.allowed}
          disabled={isFixed}
          onChange={(allowed) => allow(tool.key, allowed)}
        />
      ),
    },
  ]
  return (
    <Table
      caption={words.tools}
      rows={tools}
      columns={columns}
      rowKey={({ key }) => key}
      isDimmed={({ allowed }) => !allowed}
    />
  )
}

function descriptionOf({ definition }: ServerTool): string {
  const { description } = definition
  return typeof description === 'string' ? description : ''
}
