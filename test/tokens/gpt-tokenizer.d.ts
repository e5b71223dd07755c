/** The one function that is used. The package's own types need settings that this repository does not have. */
declare module 'gpt-tokenizer/encoding/o200k_base' {
  export function encode(text: string): number[]
}
