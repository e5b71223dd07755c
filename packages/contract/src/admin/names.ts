// Words of the admin API that are needed without its schemas: loading those takes memory that a gateway at rest saves.

/** Where all routes begin. */
export const ADMIN_BASE = '/api/v1'

/** The header that a page sends with every change: a foreign page cannot send it. Its value is no matter. */
export const CHANGE_HEADER = 'x-tooldex-console'

/** What stands in place of a secret. Sent back, it means the value that is there. */
export const SECRET_MASK = '••••'
