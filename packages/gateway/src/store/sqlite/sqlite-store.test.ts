import { describeAuditChain } from '../audit/audit-chain-contract.case.ts'
import { describeAudit } from '../audit/audit-contract.case.ts'
import { describeCosts } from '../costs-contract.case.ts'
import { describeFeed } from '../feed-contract.case.ts'
import { describePins } from '../pins-contract.case.ts'
import { describeReplicas } from '../replicas-contract.case.ts'
import { describeUses } from '../uses-contract.case.ts'
import { describeStore } from '../store-contract.case.ts'
import { sqliteUnderTest } from './sqlite-under-test.case.ts'

describeStore('SQLite', sqliteUnderTest)
describeAudit('SQLite', sqliteUnderTest)
describeAuditChain('SQLite', sqliteUnderTest)
describeCosts('SQLite', sqliteUnderTest)
describeFeed('SQLite', sqliteUnderTest)
describePins('SQLite', sqliteUnderTest)
describeUses('SQLite', sqliteUnderTest)
describeReplicas('SQLite', sqliteUnderTest)
