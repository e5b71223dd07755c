/** Words of the page “savings”. */
export const savings = {
  lead: '',
}
