import { Braces, Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { Button, IconButton } from '../parts/button.tsx'
import { SelectField, TextAreaField, TextField } from '../parts/field.tsx'
import { JsonField } from '../parts/json/json-field.tsx'
import { plainText } from '../parts/invisible-characters.ts'
import { UntrustedText } from '../parts/untrusted-text.tsx'
import { useText } from '../text/text.ts'
import { type Draft, type DraftProblem, draftOf, emptyDraft, itemSchema, valueOf } from './draft.ts'
import { choicesOf, chosenOf, exampleOf, limitsOf, selectedOf } from './field-words.ts'
import { nodeOf, type SchemaNode } from './schema-node.ts'

interface SchemaFormProps {
  readonly schema: unknown
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  /** Shown beside the fields that they are about. */
  readonly problems: readonly DraftProblem[]
}

/** A form for a value of a JSON Schema. Whatever it cannot show with fields has a field for JSON. */
export function SchemaForm({ schema, draft, onChange, problems }: SchemaFormProps) {
  const { tryIt: words } = useText()
  const node = nodeOf(schema, schema)
  const isEmpty =
    node.kind === 'object' && node.fields.length === 0 && (node.others === undefined || node.others === true)
  if (isEmpty && draft.kind !== 'json') return <p className="text-sm text-soft">{words.noArguments}</p>
  if (node.kind !== 'object' || draft.kind !== 'object') {
    return (
      <SchemaField
        label={words.arguments}
        path=""
        schema={schema}
        root={schema}
        isRequired
        {...{ draft, onChange, problems }}
      />
    )
  }
  return <ObjectFields node={node} root={schema} path="" {...{ draft, onChange, problems }} />
}

interface FieldProps {
  readonly label: string
  readonly path: string
  readonly schema: unknown
  readonly root: unknown
  readonly isRequired: boolean
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly problems: readonly DraftProblem[]
}

const UNSET: Draft = { kind: 'unset' }

/** One value with its label, hint, limits and problem. */
function SchemaField(props: FieldProps) {
  const { schema, root, draft, onChange, isRequired, path } = props
  const { tryIt: words } = useText()
  const node = nodeOf(schema, root)
  const shared = useShared(props, node)
  if (draft.kind === 'json' || node.kind === 'json') {
    return (
      <JsonField
        {...shared}
        rows={3}
        placeholder="JSON"
        value={draft.kind === 'json' ? draft.text : ''}
        onText={(text) => onChange(text === '' && !isRequired ? UNSET : { kind: 'json', text })}
      />
    )
  }
  switch (node.kind) {
    case 'text':
      return <TextInput node={node} {...props} />
    case 'number':
      return (
        <TextField
          {...shared}
          inputMode="decimal"
          placeholder={exampleOf(node)}
          value={draft.kind === 'text' ? draft.text : ''}
          onChange={({ target: { value } }) => onChange(value === '' ? UNSET : { kind: 'text', text: value })}
        />
      )
    case 'flag':
    case 'choice':
    case 'null':
      return (
        <SelectField
          {...shared}
          value={selectedOf(draft)}
          choices={[{ value: '', label: words.unset }, ...choicesOf(node, words)]}
          onChoose={(value) => onChange(chosenOf(node, value))}
        />
      )
    case 'either':
      return <EitherField node={node} {...props} />
    case 'list':
      return <ListField node={node} {...props} />
    case 'object':
      return (
        <Group label={shared.label} hint={shared.hint} problem={shared.problem} actions={<Toggle {...props} />}>
          {draft.kind === 'object' && (
            <ObjectFields
              node={node}
              root={root}
              draft={draft}
              onChange={onChange}
              path={path}
              problems={props.problems}
            />
          )}
        </Group>
      )
  }
}

/** Shows and hides an optional object or list, or turns it into JSON. */
function Toggle({ schema, root, draft, onChange, isRequired, label }: FieldProps) {
  const { tryIt: words } = useText()
  if (draft.kind === 'unset') {
    return (
      <Button
        size="small"
        icon={<Plus size={14} aria-hidden />}
        onClick={() => onChange(emptyDraft(schema, root, true))}
      >
        {words.addValue}
      </Button>
    )
  }
  return (
    <>
      <IconButton
        label={words.asJsonOf(plainText(label))}
        onClick={() => {
          const { value } = valueOf(draft, schema, root)
          onChange({ kind: 'json', text: JSON.stringify(value ?? null, null, 2) })
        }}
      >
        <Braces size={15} aria-hidden />
      </IconButton>
      {!isRequired && (
        <IconButton label={words.removeValue(plainText(label))} onClick={() => onChange(UNSET)}>
          <Trash2 size={15} aria-hidden />
        </IconButton>
      )}
    </>
  )
}

interface ObjectFieldsProps extends Pick<FieldProps, 'root' | 'path' | 'onChange' | 'problems'> {
  readonly node: Extract<SchemaNode, { kind: 'object' }>
  readonly draft: Extract<Draft, { kind: 'object' }>
}

function ObjectFields({ node, root, draft, onChange, path, problems }: ObjectFieldsProps) {
  const { tryIt: words } = useText()
  const { fields, others } = draft
  const here = (name: string): string => (path === '' ? name : `${path}.${name}`)
  const setOther = (place: number, part: Partial<(typeof others)[number]>): void =>
    onChange({ ...draft, others: others.map((other, at) => (at === place ? { ...other, ...part } : other)) })
  return (
    <div className="flex flex-col gap-4">
      {node.fields.map(({ name, schema, isRequired }) => (
        <SchemaField
          key={name}
          label={name}
          path={here(name)}
          draft={fields[name] ?? UNSET}
          onChange={(part) => onChange({ ...draft, fields: { ...fields, [name]: part } })}
          {...{ schema, root, isRequired, problems }}
        />
      ))}
      {others.map(({ name, draft: part }, place) => (
        // The place is the identity: the name is being typed.
        <div key={place} className="flex items-start gap-2">
          <TextField
            className="w-40"
            label={words.fieldName}
            value={name}
            onChange={({ target: { value } }) => setOther(place, { name: value })}
          />
          <div className="min-w-0 flex-1">
            <SchemaField
              label={name === '' ? words.fieldValue : name}
              path={here(name)}
              schema={node.others}
              draft={part}
              onChange={(changed) => setOther(place, { draft: changed })}
              isRequired={false}
              {...{ root, problems }}
            />
          </div>
          <IconButton
            className="mt-6"
            label={words.removeValue(plainText(name))}
            onClick={() => onChange({ ...draft, others: others.toSpliced(place, 1) })}
          >
            <Trash2 size={15} aria-hidden />
          </IconButton>
        </div>
      ))}
      {node.others !== undefined && (
        <Button
          size="small"
          kind="quiet"
          className="self-start"
          icon={<Plus size={14} aria-hidden />}
          onClick={() =>
            onChange({ ...draft, others: [...others, { name: '', draft: emptyDraft(node.others, root, true) }] })
          }
        >
          {words.addField}
        </Button>
      )}
    </div>
  )
}

function ListField({ node, ...props }: FieldProps & { readonly node: Extract<SchemaNode, { kind: 'list' }> }) {
  const { tryIt: words } = useText()
  const { draft, onChange, root, path, problems } = props
  const { label, hint, problem } = useShared(props, node)
  const items = draft.kind === 'list' ? draft.items : []
  const next = itemSchema(node, items.length)
  return (
    <Group label={label} hint={hint} problem={problem} actions={<Toggle {...props} />}>
      {items.map((item, place) => (
        // Items have no identity of their own.
        <div key={place} className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <SchemaField
              label={words.item(place + 1)}
              path={`${path}[${place}]`}
              schema={itemSchema(node, place)}
              draft={item}
              isRequired
              onChange={(changed) => onChange({ kind: 'list', items: items.with(place, changed) })}
              {...{ root, problems }}
            />
          </div>
          <IconButton
            className="mt-6"
            label={words.removeValue(words.item(place + 1))}
            onClick={() => onChange({ kind: 'list', items: items.toSpliced(place, 1) })}
          >
            <Trash2 size={15} aria-hidden />
          </IconButton>
        </div>
      ))}
      {draft.kind === 'list' && next !== undefined && items.length < node.max && (
        <Button
          size="small"
          kind="quiet"
          className="self-start"
          icon={<Plus size={14} aria-hidden />}
          onClick={() => onChange({ kind: 'list', items: [...items, emptyDraft(next, root, true)] })}
        >
          {words.addItem}
        </Button>
      )}
    </Group>
  )
}

function EitherField({ node, ...props }: FieldProps & { readonly node: Extract<SchemaNode, { kind: 'either' }> }) {
  const { tryIt: words } = useText()
  const { draft, onChange, root } = props
  const shared = useShared(props, node)
  const at = draft.kind === 'either' ? draft.at : undefined
  const variant = at === undefined ? undefined : node.variants[at]
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        {...shared}
        problem={undefined}
        value={at === undefined ? '' : String(at)}
        choices={[
          { value: '', label: words.unset },
          ...node.variants.map(({ label }, place) => ({ value: String(place), label: plainText(label) })),
        ]}
        onChoose={(value) => {
          const chosen = node.variants[Number(value)]
          if (value === '' || chosen === undefined) onChange(UNSET)
          else onChange({ kind: 'either', at: Number(value), draft: emptyDraft(chosen.schema, root, true) })
        }}
      />
      {draft.kind === 'either' && variant !== undefined && (
        <div className="border-l-2 border-line pl-3">
          <SchemaField
            {...props}
            label={`${props.label}: ${variant.label}`}
            isRequired
            schema={variant.schema}
            draft={draft.draft}
            onChange={(part) => onChange({ ...draft, draft: part })}
          />
        </div>
      )}
    </div>
  )
}

const LONG_TEXT = /content|body|text|description|query|code|message|prompt|markdown|html|sql/i

function TextInput({ node, ...props }: FieldProps & { readonly node: Extract<SchemaNode, { kind: 'text' }> }) {
  const { draft, onChange, label } = props
  const shared = useShared(props, node)
  const value = draft.kind === 'text' ? draft.text : ''
  const type = (text: string): void => onChange(text === '' && !props.isRequired ? UNSET : { kind: 'text', text })
  const isLong = value.includes('\n') || value.length > 80 || (node.format === undefined && LONG_TEXT.test(label))
  if (isLong) {
    return (
      <TextAreaField
        {...shared}
        rows={value === '' ? 1 : 3}
        placeholder={exampleOf(node)}
        value={value}
        onChange={(event) => type(event.target.value)}
      />
    )
  }
  return (
    <TextField
      {...shared}
      type={node.format === 'password' ? 'password' : node.format === 'date' ? 'date' : 'text'}
      placeholder={exampleOf(node)}
      value={value}
      onChange={(event) => type(event.target.value)}
    />
  )
}

/** A group of fields under one name. */
function Group({
  label,
  hint,
  problem,
  actions,
  children,
}: {
  readonly label: string
  readonly hint?: ReactNode
  readonly problem?: string | undefined
  readonly actions: ReactNode
  readonly children: ReactNode
}) {
  const id = useId()
  return (
    <div role="group" aria-labelledby={id} className="flex flex-col gap-3 rounded-xl border border-line p-3.5">
      <div className="flex items-start justify-between gap-2">
        <div className="min-w-0">
          <span id={id} className="text-[13px] font-medium">
            {label}
          </span>
          {hint !== undefined && <div className="text-[13px] text-faint">{hint}</div>}
          {problem !== undefined && <div className="text-[13px] text-bad">{problem}</div>}
        </div>
        <div className="flex shrink-0 items-center">{actions}</div>
      </div>
      {children}
    </div>
  )
}

function useShared({ label, isRequired, path, problems }: FieldProps, node: SchemaNode) {
  const { tryIt: words } = useText()
  const problem = problems.find((each) => each.path === path)
  const limits = limitsOf(node, words)
  const description = node.description ?? ''
  const name = plainText(label)
  return {
    label: isRequired ? `${name} (${words.required})` : name,
    ...((description !== '' || limits !== '') && {
      hint: (
        <>
          {description !== '' && <UntrustedText most={500}>{description}</UntrustedText>}
          {limits !== '' && <span className="block">{<UntrustedText most={200}>{limits}</UntrustedText>}</span>}
        </>
      ),
    }),
    problem:
      problem === undefined ? undefined : words.draftProblems(problem.what, plainText(String(problem.limit ?? ''))),
  }
}

/** The draft of arguments, from what was called before or from nothing. */
export function argumentsDraft(schema: unknown, before?: unknown): Draft {
  return before === undefined ? emptyDraft(schema, schema, true) : draftOf(before, schema, schema)
}
