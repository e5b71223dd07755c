import { useEffect, useRef, useState } from 'react'

const SETTLE_MS = 250

/**
 * What is being typed, beside what the address says: the one follows every key, the other when the typing pauses. Whoever
 * goes to another address is shown what it says.
 */
export function useTypedQuery(q: string, onSettle: (q: string) => void): [typed: string, type: (text: string) => void] {
  const [typed, setTyped] = useState(q)
  const written = useRef(q)
  const settle = useRef(onSettle)
  useEffect(() => {
    settle.current = onSettle
  })
  useEffect(() => {
    if (q === written.current) return
    written.current = q
    setTyped(q)
  }, [q])
  useEffect(() => {
    const text = typed.trim()
    if (text === written.current) return
    const timer = setTimeout(() => {
      written.current = text
      settle.current(text)
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return [typed, setTyped]
}
