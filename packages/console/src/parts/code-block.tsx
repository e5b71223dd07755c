import { CopyButton } from './copy-button.tsx'
import { UntrustedText } from './untrusted-text.tsx'

/** Text of a program, with a button that copies it. Foreign text is safe in it. */
export function CodeBlock({
  text,
  what,
  most,
}: {
  readonly text: string
  readonly what: string
  readonly most?: number
}) {
  return (
    <div className="group relative min-w-0 rounded-xl border border-line bg-sunken">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that a keyboard can scroll it */}
      <pre
        className="max-h-96 overflow-auto p-3.5 pr-12 font-mono text-[13px] leading-relaxed whitespace-pre-wrap"
        tabIndex={0}
        aria-label={what}
      >
        <UntrustedText {...(most !== undefined && { most })}>{text}</UntrustedText>
      </pre>
      <div className="absolute top-1.5 right-1.5">
        <CopyButton text={text} what={what} />
      </div>
    </div>
  )
}
