// Runs before the first paint, so that a dark page does not flash white, and fonts that the browser has do not come late.
{
  const chosen = localStorage.getItem('tooldex.theme')
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  if (localStorage.getItem('tooldex.fonts') !== null) document.documentElement.dataset.fonts = ''
}
