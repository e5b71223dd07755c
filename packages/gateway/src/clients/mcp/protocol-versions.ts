// A copy of the SDK's lists, because importing them would load the SDK. A test compares them.

/** The revision without sessions. */
export const MODERN_VERSION = '2026-07-28'

/** The newest revision with sessions, offered to clients that ask for an unknown one. */
export const LATEST_LEGACY_VERSION = '2025-11-25'

/** The revisions with sessions. */
export const LEGACY_VERSIONS: readonly string[] = [
  LATEST_LEGACY_VERSION,
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
]
