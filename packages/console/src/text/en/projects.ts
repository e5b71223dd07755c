/** Words of the page “projects”. */
export const projects = {
  lead: '',
}
