import { isIP } from 'node:net'

/** No text of these formats is longer. */
const LONGEST = 4_096
const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d{1,20})?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i
const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i
const SCHEME = /^[a-z][a-z\d+.-]*:/i

/** The formats that are checked here, none of them in more than linear time. Others are annotations, as JSON Schema says. */
const FORMATS = new Map<string, (text: string) => boolean>([
  ['date', (text) => DATE.test(text) && isDay(text)],
  ['time', (text) => TIME.test(text)],
  ['date-time', (text) => isDateTime(text)],
  ['uuid', (text) => UUID.test(text)],
  ['email', (text) => isEmail(text)],
  ['hostname', (text) => text.length <= 253 && text.split('.').every((label) => LABEL.test(label))],
  ['ipv4', (text) => isIP(text) === 4],
  ['ipv6', (text) => isIP(text) === 6],
  ['uri', (text) => SCHEME.test(text) && !/[\s<>"]/.test(text)],
])

/** Whether a text has the format, as far as the gateway checks it. */
export function formatHolds(format: string, text: string): boolean {
  const check = FORMATS.get(format)
  return check === undefined || (text.length <= LONGEST ? check(text) : format === 'uri' || format === 'email')
}

function isDay(date: string): boolean {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
  return day <= days
}

function isDateTime(text: string): boolean {
  const [date = '', time = '', more] = text.split(/[t ]/i)
  return more === undefined && DATE.test(date) && isDay(date) && TIME.test(time)
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  return at > 0 && at < text.length - 1 && (text.startsWith('"') || !/[\s@]/.test(text.slice(0, at)))
}
