import { useApi } from '../api/queries.ts'
import { StateBadge } from '../parts/badge.tsx'
import { Loaded } from '../parts/states.tsx'
import { RelativeTime } from '../parts/time.tsx'
import { useText } from '../text/text.ts'

/** Where decisions are kept, and whether that works. */
export function StoreHealth() {
  const { settings: words } = useText()
  const health = useApi('getHealth', {})
  return (
    <Loaded answer={health}>
      {({ store }) => (
        <div className="flex flex-col gap-3 p-5 text-sm">
          <StateBadge tone={store.ok ? 'good' : 'bad'}>{store.ok ? words.works : words.broken}</StateBadge>
          <dl className="grid grid-cols-[auto_1fr] gap-x-5 gap-y-1.5">
            <dt className="text-faint">{words.kind}</dt>
            <dd>{words.kinds[store.kind]}</dd>
            <dt className="text-faint">{words.place}</dt>
            <dd className="font-mono text-[13px] wrap-anywhere">{store.place}</dd>
            {store.latestBackupAt !== undefined && (
              <>
                <dt className="text-faint">{words.backup}</dt>
                <dd>
                  <RelativeTime at={store.latestBackupAt} />
                </dd>
              </>
            )}
          </dl>
          {store.problems.length > 0 && (
            <ul className="list-disc pl-5 text-bad">
              {store.problems.map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          )}
        </div>
      )}
    </Loaded>
  )
}
