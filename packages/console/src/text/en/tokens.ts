/** Words of the page “tokens”. */
export const tokens = {
  lead: '',
}
