/** Words of the page “audit”. */
export const audit = {
  lead: '',
}
