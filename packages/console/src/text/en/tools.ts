/** Words of the page “tools”. */
export const tools = {
  lead: '',
}
