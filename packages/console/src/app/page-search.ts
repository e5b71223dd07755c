/** What stands in a page's URL after the question mark: texts, so that a view can be shared. */
export type PageSearch = Readonly<Record<string, string | undefined>>
