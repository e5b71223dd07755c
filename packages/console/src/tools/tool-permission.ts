import type { AdminTool } from '@tooldex/contract/admin'
import type { OverridePatch } from './tool-override.ts'

type InProject = AdminTool['projects'][number]

/** The permission of a tool, as a switch shows it: what lists, searches and calls do. */
export interface ToolPermission {
  readonly isOn: boolean
  /** Whether it is off for all projects, so that a project cannot turn it on. */
  readonly isOffGlobally: boolean
  /** Whether a file declares what decides it. */
  readonly isFixed: boolean
}

/** The permission of a tool in a project. */
export function permissionIn({ forbiddenBy, managedBy }: InProject): ToolPermission {
  return {
    isOn: forbiddenBy === undefined,
    isOffGlobally: forbiddenBy === 'server',
    isFixed: managedBy === 'file',
  }
}

/** The change that allows or denies a tool in a project. Without a decision an allow-list denies, and others allow. */
export function allowPatch(allowed: boolean, isAllowList: boolean): OverridePatch {
  return allowed === isAllowList ? { allowed } : { unset: ['allowed'] }
}

/** The settings of a tool in a project after a change, for showing it before the gateway answers. */
export function withPermission(entry: InProject, isAllowList: boolean): InProject {
  const { forbiddenBy, ...rest } = entry
  if (forbiddenBy === 'server') return entry
  const allowed = rest.override?.allowed
  if (allowed === false) return { ...rest, forbiddenBy: 'project' }
  return isAllowList && allowed !== true ? { ...rest, forbiddenBy: 'allow-list' } : rest
}
