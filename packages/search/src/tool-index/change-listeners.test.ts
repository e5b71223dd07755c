import { describe, expect, it } from 'vitest'
import { ChangeListeners } from './change-listeners.ts'

describe('ChangeListeners', () => {
  it('[T14] tells a listener until it unsubscribes, which it may do twice', () => {
    const listeners = new ChangeListeners<number>()
    const heard: number[] = []
    const listener = (event: number) => heard.push(event)
    const stop = listeners.add(listener)
    const stopOther = listeners.add(listener)
    listeners.tell(1)
    stop()
    stop()
    listeners.tell(2)
    stopOther()
    listeners.tell(3)
    expect(heard).toEqual([1, 1, 2])
  })

  it('[T14] tells the others when one throws or rejects', async () => {
    const listeners = new ChangeListeners<number>()
    const heard: number[] = []
    listeners.add(() => {
      throw new Error('mine')
    })
    listeners.add(async () => {
      throw new Error('mine, later')
    })
    listeners.add((event) => heard.push(event))
    listeners.tell(1)
    await Promise.resolve()
    listeners.tell(2)
    expect(heard).toEqual([1, 2])
  })

  it('[T14] keeps the order of events for all when a listener causes one', () => {
    const listeners = new ChangeListeners<number>()
    const heard: string[] = []
    listeners.add((event) => {
      heard.push(`first ${event}`)
      if (event === 1) listeners.tell(2)
    })
    listeners.add((event) => heard.push(`second ${event}`))
    listeners.tell(1)
    expect(heard).toEqual(['first 1', 'second 1', 'first 2', 'second 2'])
  })

  it('does not tell a listener that another one has just unsubscribed', () => {
    const listeners = new ChangeListeners<number>()
    const heard: number[] = []
    const stops: (() => void)[] = []
    listeners.add(() => stops.forEach((stop) => stop()))
    stops.push(listeners.add((event) => heard.push(event)))
    listeners.tell(1)
    expect(heard).toEqual([])
  })
})
