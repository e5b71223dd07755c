/** The prefix of `_meta` keys that only the gateway sets. */
export const OUR_PREFIX = 'io.tooldex/'

/**
 * What one server may do to the gateway, apart from the settings in `limits` of its definition. Honest servers stay far
 * below; beyond a limit the gateway cuts, leaves out or refuses, and says so in a remark on the server.
 */
export const SERVER_LIMITS = {
  /** Characters of a description or title. */
  descriptionCharacters: 32_768,
  /** Characters of a name or URI; an entry with a longer one is left out. */
  nameCharacters: 1_024,
  /** Characters of an input or output schema, as JSON. */
  schemaCharacters: 262_144,
  /** Levels of objects and arrays within an entry of a list. */
  levels: 128,
  /** Characters of each other field of an entry, as JSON. */
  fieldCharacters: 65_536,
  /** Bytes of one entry; a larger one is not even read. */
  entryBytes: 2_097_152,
  /** Characters of a whole list, as JSON. */
  listCharacters: 8_388_608,
  /** Characters of a server's instructions. */
  instructionsCharacters: 32_768,
  /** Remarks that are kept on a server. */
  remarks: 50,
  /** Requests of a server to clients that are open at once. */
  openRequests: 64,
  /** Requests of a server to clients, a second; three times as many at once. */
  requestsPerSecond: 30,
  /** Notifications of a server, a second; three times as many at once. */
  notificationsPerSecond: 300,
  /** Characters of the parameters of a request or notification, as JSON. */
  messageCharacters: 262_144,
} as const
