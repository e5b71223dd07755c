/** Words of the page “home”. */
export const home = {
  lead: '',
}
