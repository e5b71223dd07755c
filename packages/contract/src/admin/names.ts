// Constants of the admin API, apart from its schemas: an idle gateway does not load those, to save memory.

/** The prefix of all routes. */
export const ADMIN_BASE = '/api/v1'

/** The header that the console sends with every change; pages of other origins cannot. Its value does not matter. */
export const CHANGE_HEADER = 'x-tooldex-console'

/** Replaces secrets in answers. Sent back, it keeps the stored value. */
export const SECRET_MASK = '••••'
