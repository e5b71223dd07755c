/** Words of the page “search”. */
export const search = {
  lead: '',
}
