// The SDK's own lists, repeated: importing them from there would load all of it for two strings. A test compares them.

/** The revision without sessions. */
export const MODERN_VERSION = '2026-07-28'

/** The newest revision with sessions, which is offered to clients that ask for one we do not know. */
export const LATEST_LEGACY_VERSION = '2025-11-25'

/** The revisions with sessions. */
export const LEGACY_VERSIONS: readonly string[] = [
  LATEST_LEGACY_VERSION,
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
]
