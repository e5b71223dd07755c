/** The source file that carries the assembled kernel. */
export function kernelFile(bytes: Uint8Array): string {
  const lines = [
    '// Made by `node scripts/build-vector-kernel.ts` from kernel/dot-kernel.ts. Do not edit.',
    '',
    '/** The kernel of the vector search as a WebAssembly module, in base64. */',
    'export const DOT_KERNEL =',
    `  '${btoa(String.fromCharCode(...bytes))}'`,
    '',
  ]
  return lines.join('\n')
}
