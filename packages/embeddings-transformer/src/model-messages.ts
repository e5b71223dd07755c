/** A text for the worker. One at a time: the next is sent when this one is answered. */
export interface ModelRequest {
  readonly text: string
}

/** The vector of the text that was sent last. */
export interface ModelAnswer {
  readonly vector: Float32Array
}
