/** Words of the page “settings”. */
export const settings = {
  lead: '',
}
