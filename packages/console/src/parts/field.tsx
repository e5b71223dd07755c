import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

const BOX =
  'w-full rounded-lg border border-line-strong/60 bg-surface px-3 text-sm text-text placeholder:text-faint aria-invalid:border-bad'

interface FieldProps {
  readonly label: string
  /** Said below the field, always. */
  readonly hint?: ReactNode
  /** What is wrong with the value; takes the place of the hint. */
  readonly problem?: string | undefined
  /** Hides the label from sight, not from screen readers. */
  readonly hideLabel?: boolean
  readonly className?: string
}

interface Wired {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

/** A label, a control and what is said of it, tied together for everybody. */
function Field({
  label,
  hint,
  problem,
  hideLabel = false,
  className,
  control,
}: FieldProps & { readonly control: (wired: Wired) => ReactNode }) {
  const id = useId()
  const note = problem ?? hint
  return (
    <div className={classNames('flex min-w-0 flex-col gap-1.5', className)}>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'text-[13px] font-medium text-text'}>
        {label}
      </label>
      {control({
        id,
        'aria-describedby': note === undefined ? undefined : `${id}-note`,
        'aria-invalid': problem === undefined ? undefined : true,
      })}
      {note !== undefined && (
        <div id={`${id}-note`} className={classNames('text-[13px]', problem === undefined ? 'text-faint' : 'text-bad')}>
          {note}
        </div>
      )}
    </div>
  )
}

/** One line of text. */
export function TextField({
  label,
  hint,
  problem,
  hideLabel,
  className,
  ...input
}: FieldProps & Omit<ComponentProps<'input'>, 'className'>) {
  return (
    <Field
      {...fieldProps({ label, hint, problem, hideLabel, className })}
      control={(wired) => <input autoComplete="off" {...input} {...wired} className={classNames(BOX, 'h-9.5')} />}
    />
  )
}

/** Several lines of text. */
export function TextAreaField({
  label,
  hint,
  problem,
  hideLabel,
  className,
  ...input
}: FieldProps & Omit<ComponentProps<'textarea'>, 'className'>) {
  return (
    <Field
      {...fieldProps({ label, hint, problem, hideLabel, className })}
      control={(wired) => (
        <textarea
          spellCheck={false}
          rows={6}
          {...input}
          {...wired}
          className={classNames(BOX, 'py-2 font-mono text-[13px]')}
        />
      )}
    />
  )
}

interface Choice<Value extends string> {
  readonly value: Value
  readonly label: string
}

/** One of a few. The browser's own control: it works with every keyboard, reader and phone. */
export function SelectField<Value extends string>({
  label,
  hint,
  problem,
  hideLabel,
  className,
  choices,
  onChoose,
  ...select
}: FieldProps &
  Omit<ComponentProps<'select'>, 'className' | 'value' | 'onChange'> & {
    readonly value: Value
    readonly choices: readonly Choice<Value>[]
    readonly onChoose: (value: Value) => void
  }) {
  return (
    <Field
      {...fieldProps({ label, hint, problem, hideLabel, className })}
      control={(wired) => (
        <select
          {...select}
          {...wired}
          onChange={(event) => onChoose(event.target.value as Value)}
          className={classNames(BOX, 'h-9.5 cursor-pointer pr-8')}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    />
  )
}

/** Absent stays absent: the compiler tells it from undefined. */
function fieldProps({ label, ...rest }: { [Key in keyof FieldProps]: FieldProps[Key] | undefined }): FieldProps {
  const given = Object.entries(rest).filter(([, value]) => value !== undefined)
  return { label: label ?? '', ...Object.fromEntries(given) }
}
