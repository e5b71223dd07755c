import { Badge } from '../parts/badge.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { fieldsOf, type SchemaField } from './schema-fields.ts'

/** The parameters of a tool. */
export function SchemaTable({ schema, caption }: { readonly schema: unknown; readonly caption: string }) {
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
