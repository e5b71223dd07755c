/** Variables that programs need to run and that reveal nothing about the gateway. */
const UNIX = ['PATH', 'HOME', 'LANG', 'LANGUAGE', 'TMPDIR', 'TEMP', 'TMP', 'TZ', 'USER', 'LOGNAME', 'SHELL', 'TERM']
const WINDOWS = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'NUMBER_OF_PROCESSORS',
  'OS',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]

/** Variables by name; an absent value means an absent variable. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The whole environment of a server: a short list of harmless variables of ours, and what its definition declares.
 * Nothing else of ours: no secrets, no `NODE_OPTIONS`, no `LD_PRELOAD`.
 */
export function childEnvironment(
  ours: Environment,
  declared: Environment,
  platform: NodeJS.Platform,
): Record<string, string> {
  const isAllowed = platform === 'win32' ? allowedOnWindows : allowedOnUnix
  const inherited = Object.entries(ours).filter(
    // Old shells run a variable that looks like a function.
    ([name, value]) => isAllowed(name) && value !== undefined && !value.startsWith('()'),
  )
  const all = [...inherited, ...Object.entries(declared)]
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

const unix = new Set(UNIX)
const windows = new Set(WINDOWS)
const allowedOnUnix = (name: string): boolean => unix.has(name) || name.startsWith('LC_')
const allowedOnWindows = (name: string): boolean => windows.has(name.toUpperCase())
