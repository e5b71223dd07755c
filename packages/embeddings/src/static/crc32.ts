const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** The usual 32-bit checksum (CRC-32), for where the platform has none of its own. */
export function crc32(bytes: Uint8Array): number {
  let sum = -1
  for (let at = 0; at < bytes.length; at++) sum = (TABLE[(sum ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (sum >>> 8)
  return ~sum >>> 0
}
