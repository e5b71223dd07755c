import type { Problem, RouteAnswer } from '@tooldex/contract/admin'
import { useEffect, useRef, useState } from 'react'
import { addressOf, call, request } from '../api/call.ts'
import { eventsIn } from '../api/events.ts'
import { ApiProblem, unreachable } from '../api/problem.ts'

/** A question that the server asks during a call. */
export interface Question {
  readonly id: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** The state of a call. */
export interface CallState {
  readonly isRunning: boolean
  readonly isCancelled: boolean
  readonly progress?: { readonly progress?: number; readonly total?: number; readonly message?: string }
  readonly questions: readonly Question[]
  readonly answer?: RouteAnswer<'callTool'>
  readonly problem?: ApiProblem
}

const IDLE: CallState = { isRunning: false, isCancelled: false, questions: [] }

/** Calls a tool and follows the call: its progress, the questions of the server, and its end. Leaving the page cancels it. */
export function useCall(onEnd: (outcome: 'ok' | 'failed' | 'cancelled', ms: number) => void) {
  const [state, setState] = useState<CallState>(IDLE)
  const leaving = useRef<AbortController>(undefined)
  const callId = useRef('')
  useEffect(() => () => leaving.current?.abort(), [])

  const start = async (tool: string, project: string, args: Readonly<Record<string, unknown>>): Promise<void> => {
    leaving.current?.abort()
    const controller = new AbortController()
    leaving.current = controller
    setState({ ...IDLE, isRunning: true })
    const begun = performance.now()
    const end = (outcome: 'ok' | 'failed' | 'cancelled', part: Partial<CallState>): void => {
      setState((before) => ({ ...before, ...part, isRunning: false, questions: [] }))
      onEnd(outcome, performance.now() - begun)
    }
    try {
      const { body } = await request(addressOf('callTool', { params: { tool } }), {
        method: 'POST',
        headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
        body: JSON.stringify({ project, arguments: args }),
        signal: controller.signal,
      })
      for await (const { event, data } of body === null ? [] : eventsIn(body)) {
        const read = JSON.parse(data) as never
        if (event === 'begun') callId.current = (read as { call: string }).call
        if (event === 'progress') setState((before) => ({ ...before, progress: read }))
        if (event === 'question') setState((before) => ({ ...before, questions: [...before.questions, read] }))
        if (event === 'answer') {
          const answer = read as RouteAnswer<'callTool'>
          return end(answer.result['isError'] === true ? 'failed' : 'ok', { answer })
        }
        if (event === 'problem') {
          const problem = read as Problem
          return end('failed', { problem: new ApiProblem(problem.status, problem) })
        }
      }
      end('failed', { problem: unreachable() })
    } catch (error) {
      if (controller.signal.aborted) return end('cancelled', { isCancelled: true })
      end('failed', { problem: error instanceof ApiProblem ? error : unreachable() })
    }
  }

  const answer = async (question: Question, result: Readonly<Record<string, unknown>>): Promise<void> => {
    setState((before) => ({ ...before, questions: before.questions.filter(({ id }) => id !== question.id) }))
    await call('answerCall', { params: { call: callId.current }, body: { question: question.id, result } }).catch(
      (problem: ApiProblem) => setState((before) => ({ ...before, problem })),
    )
  }

  return { state, start, cancel: () => leaving.current?.abort(), answer }
}
