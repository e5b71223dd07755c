/** The regex strategy; apart from the rest because it alone needs the peer dependency `re2js`. */
export { RegexProvider, type RegexProviderOptions } from './providers/regex/regex-provider.ts'
