// Constants of the admin API, apart from its schemas: an idle gateway does not load those, to save memory.

/** The prefix of all routes. */
export const ADMIN_BASE = '/api/v1'

/** The header in which pages of the console show the page secret of their session. Pages of other origins cannot know it. */
export const PAGE_HEADER = 'x-tooldex-console'

/** Replaces secrets in answers. Sent back, it keeps the stored value. */
export const SECRET_MASK = '••••'

/** The token id of uses that administrators told on the search page: “this should have been X”. */
export const JUDGED_BY = 'judged'
