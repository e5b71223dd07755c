/** A running gateway, among those that share a database. Its id is new with every start. */
export interface Replica {
  readonly id: string
  /** The address at which the others reach it. */
  readonly url: string
  /** It is about to stop and takes nothing new. */
  readonly isLeaving: boolean
}

/** A replica as the database knows it. */
export interface SeenReplica extends Replica {
  /** Its last sign of life, in the database's time. */
  readonly seenAt: number
}

/** What all replicas know of something that lives in one of them, such as a session. */
export interface Owned {
  /** The replica that has it now; absent if it is still the one that began it. */
  readonly ownerId?: string
  /** It was ended for good: no replica takes it over any more. */
  readonly hasEnded: boolean
  /** What another replica needs in order to take it over. */
  readonly state?: string
}

/** Shared by all replicas: which of them run, and what each of them has. Times are those of the database. */
export interface ReplicaRepository {
  /** Gives a sign of life. Resolves to all replicas, this one included, and the time. */
  beat(own: Replica): Promise<{ readonly now: number; readonly replicas: readonly SeenReplica[] }>
  /** Removes a replica that has stopped. */
  remove(id: string): Promise<void>
  find(subject: string): Promise<Owned | undefined>
  /**
   * Makes a replica the owner, if there is none yet, or `from` is. Resolves to what holds after it.
   * @param until when everything about the subject is forgotten
   */
  claim(subject: string, ownerId: string, from: string, until: number): Promise<Owned>
  /** Stores the state for the next owner. */
  keep(subject: string, state: string, until: number): Promise<void>
  /** Ends it for good. */
  end(subject: string, until: number): Promise<void>
}
