/** The folder of the built console: `index.html` and what it loads. */
export const consoleFolder: URL = new URL(import.meta.url.endsWith('.ts') ? './dist/app/' : './app/', import.meta.url)
