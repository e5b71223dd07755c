/** Words of the page “servers”. */
export const servers = {
  lead: '',
}
