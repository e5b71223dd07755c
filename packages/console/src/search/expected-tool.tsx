import { Check } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/page.tsx'
import { Guarded } from '../parts/role.tsx'
import { ToolPicker } from '../parts/tool-picker.tsx'
import { gatewayNow } from '../api/gateway-clock.ts'
import { useChange } from '../parts/forms/use-change.ts'
import { useText } from '../text/text.ts'

/** As in the contract: who taught what administrators say on this page. */
const JUDGED_BY = 'judged'

/** Says which tool a query should have found: searches learn it, and `tooldex eval --from-audit` measures with it. */
export function ExpectedTool({ project, query }: { readonly project: string; readonly query: string }) {
  const { search: words } = useText()
  const [tool, setTool] = useState<string>()
  const params = { project }
  const forget = useChange('forgetLearned', { done: () => words.expectedForgotten, touches: 'configuration' })
  const teach = useChange('importLearned', {
    done: () => words.expectedSaved,
    touches: 'configuration',
    undo: () => () =>
      forget.mutate({ params, query: { query, ...(tool !== undefined && { tool }), token: JUDGED_BY } }),
  })
  return (
    <Card title={words.expected}>
      <form
        className="flex flex-col gap-3 p-5"
        onSubmit={(event) => {
          event.preventDefault()
          if (tool === undefined) return
          const use = { query, toolKey: tool, tokenId: JUDGED_BY, weight: 1, at: gatewayNow() }
          teach.mutate({ params, body: { items: [use] } })
        }}
      >
        <Guarded needs="importLearned">
          <div className="flex flex-wrap items-end gap-3">
            <div className="min-w-64 flex-1">
              <ToolPicker label={words.expectedLabel} value={tool} onChoose={setTool} />
            </div>
            <Button
              type="submit"
              needs="importLearned"
              icon={<Check size={15} aria-hidden />}
              busy={teach.isPending}
              disabled={tool === undefined}
            >
              {words.expectedSave}
            </Button>
          </div>
        </Guarded>
        <p className="text-[13px] text-soft">{words.expectedHint}</p>
      </form>
    </Card>
  )
}
