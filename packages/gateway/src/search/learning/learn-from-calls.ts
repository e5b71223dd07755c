import type { AuditFeed } from '../../audit/audit-feed.ts'
import { SearchFollowUps } from '../../audit/search-follow-ups.ts'
import type { Embedders } from '../../catalog/search-index/embedders.ts'
import { resolveSettings } from '../../exposure/resolve-settings.ts'
import type { AuditEntry } from '../../model/audit.ts'
import type { ModelSource } from '../../model/gateway-model.ts'
import type { UseRepository } from '../../model/learned-use.ts'
import { ProjectUses } from './project-uses.ts'

/** What learning needs of a gateway. */
interface LearningParts {
  readonly models: ModelSource
  readonly audit: Pick<AuditFeed, 'onEntry'>
  /** Without one, uses live as long as the process. */
  readonly repository: UseRepository | undefined
  readonly embedders: Pick<Embedders, 'table'>
  readonly log: { warn(facts: Readonly<Record<string, unknown>>, message: string): void }
}

/** Learns from the calls that follow searches, where the settings allow it. A removed project leaves nothing behind. */
export function learnFromCalls({ models, audit, repository, embedders, log }: LearningParts): ProjectUses {
  const learnt = new ProjectUses({
    ...(repository !== undefined && { repository }),
    embedNow: () => embedders.table(),
    now: Date.now,
    onProblem: (err) => log.warn({ err }, 'cannot exchange learnt uses with the database; searches continue'),
  })
  const learns = ({ projectId, endpointId }: AuditEntry): boolean => {
    const { projects, endpoints } = models.current()
    const [endpoint, project] = [endpoints.get(endpointId), projects.get(projectId)]
    return resolveSettings(endpoint?.disclosure ?? {}, project?.disclosure ?? {}).learning
  }
  const followUps = new SearchFollowUps({
    onFollowed: (followUp) => {
      if (learns(followUp.call)) learnt.learn(followUp)
    },
  })
  audit.onEntry((entry) => followUps.note(entry))
  models.onChange(({ projects }, previous) => {
    for (const projectId of previous.projects.keys()) {
      if (projects.has(projectId)) continue
      const failed = (err: unknown): void => log.warn({ err, projectId }, 'cannot forget what a removed project learnt')
      learnt.forget(projectId).catch(failed)
    }
  })
  return learnt
}
