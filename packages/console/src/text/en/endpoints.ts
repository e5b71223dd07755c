/** Words of the page “endpoints”. */
export const endpoints = {
  lead: '',
}
