const ESC = '\u001b'

/**
 * Texts of a hostile server. Each contains `MARK`, so that a test can find it; scripts that run set `window.ran`.
 */
export const HOSTILE: Readonly<Record<string, string>> = {
  script: 'MARK <script>window.ran = "script"</script> end',
  image: 'MARK <img src=x onerror="window.ran = \'image\'"> end',
  picture: 'MARK <svg/onload=window.ran="svg"><animate onbegin=window.ran=1 attributeName=x dur=1s> end',
  link: 'MARK <a href="javascript:window.ran=1">log in again</a> end',
  frame: 'MARK <iframe srcdoc="<script>parent.ran=1</script>"></iframe> end',
  foreign: 'MARK <img src="http://192.0.2.7/pixel.gif"><link rel=stylesheet href="//192.0.2.7/x.css"> end',
  markdown: 'MARK ![pixel](http://192.0.2.7/pixel.gif) [log in](javascript:window.ran=1) end',
  template: 'MARK ${window.ran=1} {{window.ran=1}} <%= window.ran=1 %> end',
  style: 'MARK </style><style>body{display:none}</style> " style="position:fixed;inset:0 end',
  colours: `MARK ${ESC}[31mred${ESC}[0m ${ESC}]8;;http://192.0.2.7${ESC}\\here${ESC}]8;;${ESC}\\ end`,
  direction: 'MARK \u202egnp.exe\u202c \u2066left\u2069 \u200fright end',
  unseen: 'MARK pay\u200bload \u2060\ufeff\u{e0041}\u{e0042}\u{e0043}\u{e0044} end',
  controls: 'MARK null\u0000 bell\u0007 back\u0008 delete\u007f end',
  prototype: 'MARK __proto__ constructor toString end',
}

/** A hostile text with its name in place of `MARK`. */
export function hostileText(name: string): string {
  return (HOSTILE[name] ?? '').replace('MARK', `(${name})`)
}

/** Hostile tool names. */
export const HOSTILE_NAMES = {
  markup: '<b onmouseover=window.ran=1>bold</b>',
  turned: 'delete\u202egnp.elif',
  prototype: '__proto__',
}
