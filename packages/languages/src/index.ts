export type { LanguageData, LanguageTable } from './language-data.ts'
export { createQueryReader } from './query-reader.ts'
