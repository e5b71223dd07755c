import { ChevronDown } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

const BOX =
  'w-full rounded-lg border border-line-strong/60 bg-surface px-3 text-sm text-text transition-colors placeholder:text-faint hover:border-line-strong focus-within:border-accent focus-within:outline-offset-0 disabled:cursor-not-allowed disabled:bg-sunken disabled:text-soft aria-invalid:border-bad aria-invalid:outline-bad'

/** What all fields have. */
export interface FieldProps {
  readonly label: string
  /** Shown below the field. */
  readonly hint?: ReactNode
  /** The problem with the value; replaces the hint. */
  readonly problem?: string | undefined
  /** Hides the label visually, but not from screen readers. */
  readonly hideLabel?: boolean
  readonly className?: string
}

/** What connects a control with its label and note. The label's own id is `<id>-label`. */
export interface Wired {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

/** A label, a control and its hint or problem, associated for assistive technology. */
export function Field({
  label,
  hint,
  problem,
  hideLabel = false,
  className,
  control,
  onLabel,
}: FieldProps & {
  readonly control: (wired: Wired) => ReactNode
  /** For controls that a click on their label does not focus by itself. */
  readonly onLabel?: () => void
}) {
  const id = useId()
  const note = problem ?? hint
  return (
    <div className={classNames('flex min-w-0 flex-col gap-1.5', className)}>
      <label
        id={`${id}-label`}
        htmlFor={id}
        onClick={onLabel}
        className={hideLabel ? 'sr-only' : 'text-[13px] font-medium text-text'}
      >
        {label}
      </label>
      {control({
        id,
        'aria-describedby': note === undefined ? undefined : `${id}-note`,
        'aria-invalid': problem === undefined ? undefined : true,
      })}
      {note !== undefined && (
        <div
          id={`${id}-note`}
          className={classNames(
            'text-[13px] leading-snug wrap-anywhere',
            problem === undefined ? 'text-faint' : 'text-bad first-letter:uppercase',
          )}
        >
          {note}
        </div>
      )}
    </div>
  )
}

/** A one-line text field. */
export function TextField({
  label,
  hint,
  problem,
  hideLabel,
  className,
  isCode = false,
  ...input
}: FieldProps & Omit<ComponentProps<'input'>, 'className'> & { readonly isCode?: boolean }) {
  return (
    <Field
      {...fieldProps({ label, hint, problem, hideLabel, className })}
      control={(wired) => (
        <input
          autoComplete="off"
          spellCheck={!isCode}
          {...input}
          {...wired}
          className={classNames(BOX, 'h-9.5', isCode && 'font-mono text-[13px]')}
        />
      )}
    />
  )
}

/** A multi-line text field. */
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
      control={(wired) => <TextArea {...input} {...wired} />}
    />
  )
}

/** The text area of a field. */
export function TextArea(props: Omit<ComponentProps<'textarea'>, 'className'>) {
  return (
    <textarea
      spellCheck={false}
      rows={6}
      {...props}
      className={classNames(BOX, 'min-h-9.5 py-2 font-mono text-[13px] leading-relaxed')}
    />
  )
}

interface Choice<Value extends string> {
  readonly value: Value
  readonly label: string
}

/** A select field. Native, so that it works with every keyboard, screen reader and phone. */
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
        <div className="relative">
          <select
            {...select}
            {...wired}
            onChange={(event) => onChoose(event.target.value as Value)}
            className={classNames(BOX, 'h-9.5 cursor-pointer appearance-none truncate pr-9')}
          >
            {choices.map((choice) => (
              <option key={choice.value} value={choice.value}>
                {choice.label}
              </option>
            ))}
          </select>
          <ChevronDown
            size={16}
            className="pointer-events-none absolute top-1/2 right-3 -translate-y-1/2 text-faint"
            aria-hidden
          />
        </div>
      )}
    />
  )
}

/** Omits undefined properties, as `exactOptionalPropertyTypes` requires. */
function fieldProps({ label, ...rest }: { [Key in keyof FieldProps]: FieldProps[Key] | undefined }): FieldProps {
  const given = Object.entries(rest).filter(([, value]) => value !== undefined)
  return { label: label ?? '', ...Object.fromEntries(given) }
}
