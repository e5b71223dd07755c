/** What a verb does. A query that asks for one kind is not served by a tool of an opposed kind. */
export type Action =
  | 'read'
  | 'list'
  | 'search'
  | 'count'
  | 'create'
  | 'update'
  | 'delete'
  | 'send'
  | 'run'
  | 'stop'
  | 'move'
  | 'copy'
  | 'upload'
  | 'download'

/**
 * The verbs of each kind, in base form. A word with `?` is also a common noun (_a list_, _a post_) and counts only where
 * a verb stands: first in a query, first in a name or behind the server's name. Of phrases the first word is enough.
 */
export const ACTION_VERBS: Readonly<Record<Action, string>> = {
  read: 'get read view? show fetch retrieve obtain describe inspect display see check? print? peek examine lookup grab return reveal tell access? load?',
  list: 'list? enumerate browse show get view? fetch retrieve display ls',
  search: 'search? find query? lookup look discover explore locate hunt seek grep filter? browse scan?',
  count: 'count? tally get',
  create:
    'create add make new insert generate build? compose draft? write? register schedule? book? open? initialize init setup scaffold provision spawn file? start post? put? append produce plan? attach enroll invite? assign render raise log? record? define declare submit set? allocate establish publish',
  update:
    'update edit modify change? set? rename replace patch? configure adjust alter amend revise tweak upgrade bump put? enable disable mark? toggle switch? turn assign reassign transition complete finish close? reopen resolve increase decrease scale? resize move? merge? append convert format? apply save store? customize relabel refresh? sort reorder lock? unlock pin? unpin archive? unarchive approve reject',
  delete:
    'delete remove erase destroy discard purge wipe trash? drop? clear? uninstall unset unlink unassign detach clean? bin? ditch revoke unregister deregister dismiss eliminate flush cancel? tear evict leave unfollow unsubscribe unstar rm empty?',
  send: 'send post? publish share? reply? respond notify alert? email? mail? message? dispatch deliver forward? broadcast tweet? submit ping? announce write? comment? dm? text? create call? invite?',
  run: 'run? execute exec invoke trigger? call? launch start? deploy play? perform kick fire? boot rerun restart reboot retry process? eval evaluate test? resume build? apply query? use simulate open? release? rollout install press? tap? click? navigate goto',
  stop: 'stop? halt terminate kill cancel? abort pause? suspend shutdown disable end? close? deactivate mute? silence? quit disconnect delete remove shut unschedule turn',
  move: 'move? transfer? relocate migrate? rename mv shift? swap? hand',
  copy: 'copy? duplicate clone? replicate fork? backup? snapshot? cp',
  upload: 'upload? import? ingest attach push? add create put? send load? save store? write?',
  download: 'download? export? save dump? pull? get fetch retrieve read load?',
}

/** Kinds that a tool of the named kind cannot serve, both ways. */
export const OPPOSED_ACTIONS: readonly (readonly [Action, Action])[] = [
  ['read', 'create'],
  ['read', 'update'],
  ['read', 'delete'],
  ['read', 'send'],
  ['read', 'stop'],
  ['read', 'move'],
  ['read', 'upload'],
  ['list', 'create'],
  ['list', 'update'],
  ['list', 'delete'],
  ['list', 'send'],
  ['list', 'run'],
  ['list', 'stop'],
  ['list', 'move'],
  ['list', 'copy'],
  ['list', 'upload'],
  ['search', 'create'],
  ['search', 'update'],
  ['search', 'delete'],
  ['search', 'send'],
  ['search', 'stop'],
  ['search', 'move'],
  ['search', 'copy'],
  ['search', 'upload'],
  ['create', 'update'],
  ['create', 'delete'],
  ['create', 'stop'],
  ['create', 'count'],
  ['update', 'delete'],
  ['update', 'count'],
  ['delete', 'send'],
  ['delete', 'run'],
  ['delete', 'copy'],
  ['delete', 'upload'],
  ['delete', 'download'],
  ['delete', 'count'],
  ['run', 'stop'],
  ['upload', 'download'],
  ['send', 'stop'],
]

/** Words of opposite meaning: a tool that has the other one in its name does the reverse. */
export const OPPOSITES: readonly string[] = [
  'start stop',
  'enable disable',
  'activate deactivate',
  'lock unlock',
  'open close',
  'reopen close',
  'upload download',
  'import export',
  'encode decode',
  'encrypt decrypt',
  'compress decompress',
  'zip unzip',
  'serialize deserialize',
  'subscribe unsubscribe',
  'follow unfollow',
  'mute unmute',
  'archive unarchive',
  'install uninstall',
  'star unstar',
  'pin unpin',
  'like unlike',
  'block unblock',
  'ban unban',
  'publish unpublish',
  'assign unassign',
  'mark unmark',
  'done undone',
  'login logout',
  'join leave',
  'push pull',
  'increase decrease',
  'approve reject',
  'accept decline',
  'attach detach',
  'connect disconnect',
  'link unlink',
  'set unset',
  'stage unstage',
  'schedule unschedule',
  'deploy undeploy',
  'register unregister',
  'pause resume',
  'expand collapse',
  'show hide',
  'ascending descending',
  'trash untrash',
  'watch unwatch',
  'save unsave',
  'load unload',
  'mount unmount',
  'read unread',
  'add remove',
  'create delete',
  'private public',
  'first last',
  'oldest newest',
  'minimum maximum',
  'buy sell',
  'borrow lend',
  'deposit withdraw',
  'inbound outbound',
  'incoming outgoing',
  'before after',
  'next previous',
  'up down',
]
